"""One purchase over HTTP, recorded once however often the payment is sent.

Asks chains and waits, so it is never used inside a transaction.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.errors import required
from app.core.http.long_poll import LongPolls
from app.domains.money.payments import checkout, store, wire
from app.domains.money.payments import service as payments
from app.domains.money.payments.checkout import Checkout, PaymentsDisabled, Sale
from app.domains.money.payments.interface import PaymentCheckUnavailable, Requirement
from app.domains.money.payments.store import Payment
from app.domains.money.payments.wire import Offer, PaymentMalformed

OFFER = {
    "in": "header",
    "name": checkout.OFFER,
    "description": "The payment described in `PAYMENT-REQUIRED`. Repeating it with the same body "
    "returns the first response without another charge.",
    "schema": {"type": "string", "maxLength": 6000},
}
"""The parameter of a route that sells."""

RAISES = (
    PaymentsDisabled,
    checkout.PaymentRequired,
    checkout.PaymentRefused,
    PaymentMalformed,
    payments.PaymentFailed,
    payments.PaymentConflict,
    payments.PaymentAlreadyUsed,
    PaymentCheckUnavailable,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """The thing that a request wants to buy.

    `admit` refuses what there is no room for, before anything is paid. `write` writes down payment
    and job; False when the payment is known. `address` is where the thing bought is read.
    """

    sale: Sale
    request: Mapping[str, Any]
    admit: Callable[[Offer], None]
    write: Callable[[Tx, Offer, Requirement, int], bool]
    address: Callable[[Payment], str]


def sell(checkout: Checkout, purchase: Purchase, header: str) -> Payment:
    """The payment in `header`, which is now written down for this request and no other.

    Raises PaymentMalformed, PaymentsDisabled, PaymentRefused, PaymentConflict, PaymentAlreadyUsed.
    """
    offer = wire.read(header)
    known = _known(offer)
    if known is None and not checkout.open:
        raise PaymentsDisabled
    first = known is None and _begin(checkout, purchase, offer)
    payment = required(known or _known(offer), LookupError(offer.payer))
    if not first:
        _check_same(payment, purchase, offer)
    return payment


def _known(offer: Offer) -> Payment | None:
    with db.reading() as reader:
        return store.known(reader, offer)


def _begin(checkout: Checkout, purchase: Purchase, offer: Offer) -> bool:
    """Check the payment and write it down; of several copies at once one is first."""
    purchase.admit(offer)
    requirement = checkout.matching(offer, purchase.sale)
    reason, from_block = checkout.verified(offer, requirement)
    if reason is not None:
        if _known(offer):  # a copy of this request has spent the authorization meanwhile
            return False
        raise checkout.refuse(purchase.sale, reason)
    with db.transaction() as tx:
        return purchase.write(tx, offer, requirement, from_block)


def _check_same(payment: Payment, purchase: Purchase, offer: Offer) -> None:
    """Raises PaymentConflict, and PaymentAlreadyUsed with the address of what it paid for."""
    try:
        payments.same(payment, offer, payments.request_digest(purchase.request))
    except payments.PaymentAlreadyUsed as used:
        used.headers["Location"] = purchase.address(payment)
        raise


def decided(payment: Payment, waiting: LongPolls, settings: Settings) -> Payment:
    """The payment once it is settled or failed, or as it is when that takes long."""

    def look() -> Payment:
        with db.reading() as reader:
            return payments.find(reader, payment.id)

    def final(payment: Payment) -> bool:
        return payment.state != "settling"

    if final(payment):
        return payment
    return waiting.until(payment.id, look, final, settings.onchain_settle_seconds)
