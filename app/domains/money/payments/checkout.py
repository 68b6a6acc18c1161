"""The checkout of a web process: names the price, checks an offer, writes the receipt.

Asks chains, so it is never used inside a transaction.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from app.core import log
from app.core.config.settings import Settings
from app.core.errors import AppError, NotFound
from app.domains.money.payments import wallet_sign_in, wire
from app.domains.money.payments.interface import PaymentCheckUnavailable, Rail, Requirement
from app.domains.money.payments.rails import open_rails
from app.domains.money.payments.service import PaymentFailed
from app.domains.money.payments.store import Payment
from app.domains.money.payments.wallet_sign_in import SignedIn
from app.domains.money.payments.wire import Offer

logger = log.get(__name__)

ASK: Final = "PAYMENT-REQUIRED"
OFFER: Final = "PAYMENT-SIGNATURE"
RECEIPT: Final = "PAYMENT-RESPONSE"
SIGN_IN: Final = "SIGN-IN-WITH-X"
SEARCH: Final = "Source-backed search"
UNMATCHED: Final = "no_matching_payment_requirements"
VALID_TOO_LONG: Final = "authorization_valid_too_long"
CLOCK_MARGIN: Final = timedelta(seconds=300)
"""How far a payer's clock may be ahead of ours."""
BLOCKS_BEFORE: Final = 20
"""How far a chain may be rolled back, or one of its nodes be behind another."""


class PaymentsDisabled(NotFound):
    """This server does not accept payments."""

    code = "payments_disabled"


class PaymentRequired(AppError):
    """Payment required. Send the payment described in `PAYMENT-REQUIRED` in `PAYMENT-SIGNATURE`
    (x402 version 2)."""

    code, status = "payment_required", 402


class PaymentRefused(AppError):
    """The payment does not match `PAYMENT-REQUIRED`. Nothing was charged."""

    code, status = "payment_refused", 402


class SearchAccessDenied(AppError):
    """Send the access token of the search, or sign in with the wallet that paid for it."""

    code, status = "search_access_denied", 402


@dataclass(frozen=True, slots=True)
class Sale:
    """The thing that is sold, for how much, and where it is bought, in public."""

    what: str
    price: Decimal
    url: str


class Checkout:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._rails: Mapping[str, Rail] = open_rails(settings)

    @property
    def open(self) -> bool:
        """False: nothing is sold. What was bought before is settled and read all the same."""
        return bool(self._rails and self._settings.onchain_price)

    def takes(self, price: Decimal) -> bool:
        """True if a token can be divided so finely. Raises PaymentCheckUnavailable."""
        return any(rail.requirement(price) is not None for rail in self._rails.values())

    def ask(self, sale: Sale) -> PaymentRequired:
        """The challenge. Raises PaymentCheckUnavailable when no network can be asked."""
        return PaymentRequired(headers={ASK: self._challenge(sale, "payment_required")})

    def refuse(self, sale: Sale, reason: str) -> PaymentRefused:
        """A refusal that says why, with what is required instead."""
        return PaymentRefused(
            details=[{"field": "", "problem": reason}],
            headers={ASK: self._challenge(sale, reason)},
            why=reason,
        )

    def fail(self, sale: Sale, payment: Payment) -> PaymentFailed:
        """A payment that did not go through, with its receipt."""
        reason = payment.reason or "payment_failed"
        headers = {RECEIPT: receipt(payment)}
        if self.open:
            headers[ASK] = self._challenge(sale, reason)
        return PaymentFailed(
            details=[{"field": "", "problem": reason}], headers=headers, why=reason
        )

    def matching(self, offer: Offer, sale: Sale) -> Requirement:
        """The requirement that `offer` means to meet, member for member. Raises PaymentRefused."""
        rail = self._rails.get(offer.network)
        requirement = rail.requirement(sale.price) if rail else None
        if requirement is None or requirement != offer.accepted:
            raise self.refuse(sale, UNMATCHED)
        return requirement

    def verified(self, offer: Offer, requirement: Requirement) -> tuple[str | None, int]:
        """Why it would be refused, or None; and the block before which it is not on the chain."""
        if _valid_too_long(offer, requirement):
            return VALID_TOO_LONG, 0
        rail = self._rails[offer.network]
        height = rail.height()
        reason = rail.verify(offer.payload, requirement)
        return reason, max(0, height - BLOCKS_BEFORE)

    def deny(self, uri: str) -> AppError:
        """The same for what is not there and for what is somebody else's."""
        if not self._rails:
            return PaymentsDisabled()
        sign_in = wallet_sign_in.extension(self._settings.secret_key, uri, self._rails)
        challenge = wire.challenge([], uri, SEARCH, "search_access_denied", sign_in)
        return SearchAccessDenied(headers={ASK: challenge, "WWW-Authenticate": "Bearer"})

    def signed_in(self, header: str, uri: str) -> SignedIn | None:
        """The wallet that answered the challenge of `deny`, or None for anything else."""
        if (any_rail := next(iter(self._rails.values()), None)) is None:
            return None
        return wallet_sign_in.signed_in(
            header, self._settings.secret_keys, uri, self._rails, any_rail.recover
        )

    def _challenge(self, sale: Sale, error: str) -> str:
        accepts: list[Requirement] = []
        for network, rail in self._rails.items():
            try:
                requirement = rail.requirement(sale.price)
            except PaymentCheckUnavailable as away:
                logger.warning("network left out", network=network, why=away.why)
                continue
            if requirement is None:
                logger.warning("network left out", network=network, why="price too fine")
            else:
                accepts.append(requirement)
        if not accepts:
            raise PaymentCheckUnavailable(retry_after=5)
        return wire.challenge(accepts, sale.url, sale.what, error)


def _valid_too_long(offer: Offer, requirement: Requirement) -> bool:
    """True if undecided it would keep its search waiting for longer than we ask for."""
    longest = timedelta(seconds=requirement["maxTimeoutSeconds"]) + CLOCK_MARGIN
    return offer.valid_before > datetime.now(UTC) + longest


def receipt(payment: Payment) -> str:
    reason = {"settled": None, "settling": "settlement_pending"}.get(payment.state, payment.reason)
    sent = payment.broadcasts[-1] if payment.broadcasts else None
    return wire.receipt(
        network=payment.network,
        payer=payment.payer,
        amount=str(payment.amount),
        transaction=payment.transaction or (sent if payment.state == "settling" else None),
        reason=reason,
    )
