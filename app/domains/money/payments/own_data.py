"""Payments and sign-ins of wallets are nobody's: no account has a wallet."""

from typing import Final

from app.core.db.own_data import nobodys

PAYMENTS_TABLES: Final = (
    *nobodys("payers are wallets; what they bought for an account is in its ledger", "payments"),
    *nobodys("spent, of wallets", "sign_in_nonces"),
)
