"""Earnings of work, and why. Callers hold the transaction; the money itself is moved by the ledger.

A row of ours moves first, by a compare-and-set, and the money after it in one transfer. An entry is
`pending` until its window is over, then `available`; a dispute upheld returns it.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.campaigns.rewards import award_store, payout_store, store
from app.domains.campaigns.rewards.maturity import make_available
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger import store as ledger_store
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.providers.chats.service import ChatSettlement


def freeze(tx: Tx, record_id: UUID, version: int) -> bool:
    """Nothing of a version matures while it is disputed. False: something has, it is too late."""
    store.freeze_version(tx, record_id, version)
    return not store.any_available(tx, record_id, version)


def thaw(tx: Tx, record_id: UUID, version: int) -> None:
    """The dispute was refused: the window is over, and what is pending becomes available."""
    if store.thaw(tx, record_id, version):
        make_available(tx, store.end(tx, record_id, version, "available"))


def take_back(tx: Tx, record_id: UUID, version: int, to: LedgerAccount) -> Decimal:
    """The dispute was upheld: all that was paid for a version returns, in one transfer."""
    store.thaw(tx, record_id, version)
    award = award_store.take_back(tx, record_id, version)
    entries = store.end(tx, record_id, version, "returned")
    lines = [LedgerLine(entry.account_id, "pending", -entry.amount) for entry in entries]
    if award is not None and award.pool_amount and not award.pool_shared:
        lines.append(LedgerLine(award.run_id, "pool", -award.pool_amount))
    amount = -sum((line.amount for line in lines), Decimal(0))
    if lines:
        token = award.token if award is not None else entries[0].token
        key = f"return:{record_id}:{version}"
        back = LedgerLine(to.owner, to.kind, amount)
        ledger.post(tx, key, "dispute upheld", token, *lines, back)
    return amount


def thaw_account(tx: Tx, account_id: UUID) -> bool:
    """Lifts the freeze of an account; what is due matures next. False: nothing was frozen."""
    return store.thaw(tx, account_id, 0)


def earn(tx: Tx, settled: ChatSettlement) -> None:
    """Note what a chat earned; its money is available already, by the settling of its hold."""
    if settled.amount:
        store.insert_earned(tx, settled)


class Balance(NamedTuple):
    """The balance of an account in one token; `frozen` is a part of `pending`."""

    token: str
    pending: Decimal
    frozen: Decimal
    available: Decimal
    payable: Decimal
    paid: Decimal
    next_available_at: datetime | None


def balances(reader: Reader, account_id: UUID, pending_hours: float) -> list[Balance]:
    """One for each token, in alphabetical order."""
    kinds = ("pending", "available", "payable")
    held = {
        (balance.token, balance.kind): balance.amount
        for balance in ledger_store.balances(reader, account_id, *kinds)
    }
    pending = {row.token: row for row in store.pending(reader, account_id)}
    paid = payout_store.paid(reader, account_id)
    return [
        Balance(
            token=token,
            pending=held.get((token, "pending"), Decimal(0)),
            frozen=pending[token].frozen if token in pending else Decimal(0),
            available=held.get((token, "available"), Decimal(0)),
            payable=held.get((token, "payable"), Decimal(0)),
            paid=paid.get(token, Decimal(0)),
            next_available_at=_after(pending.get(token), pending_hours),
        )
        for token in sorted({token for token, _ in held} | set(paid))
    ]


def _after(pending: store.PendingAmount | None, hours: float) -> datetime | None:
    if pending is None or pending.oldest_at is None:
        return None
    return pending.oldest_at + timedelta(hours=hours)
