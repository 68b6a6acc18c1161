"""Payouts: requested by an account, settled or refused by the operator.

No key that holds money is here: whoever settles has sent it, and gives the reference.
"""

from decimal import Decimal
from uuid import UUID

from app.core import ids
from app.core.amounts import text
from app.core.db import Reader, Tx
from app.core.errors import Conflict, NotFound, required
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.campaigns.rewards import payout_store
from app.domains.campaigns.rewards.payout_store import Payout
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.queue.webhooks import outbox


class PayoutNotFound(NotFound):
    """No payout with this id was found."""

    code = "payout_not_found"


class PayoutOpen(Conflict):
    """You already have an open payout of this token."""

    code = "payout_open"


class InsufficientRewards(Conflict):
    """The available rewards do not cover this amount. Pending rewards become available later."""

    code = "insufficient_rewards"


class PayoutEnded(Conflict):
    """This payout is already settled or rejected."""

    code = "payout_ended"


def request_payout(
    tx: Tx, account_id: UUID, token: str, amount: Decimal, destination: str
) -> Payout:
    """Set the amount aside for the operator. Raises PayoutOpen, InsufficientRewards."""
    wanted = {"token": token, "amount": amount, "destination": destination}
    payout = required(
        payout_store.insert(tx, id=ids.new(), account_id=account_id, **wanted), PayoutOpen
    )
    try:
        _move(tx, payout, "requested", "available", LedgerAccount(account_id, "payable"))
    except ledger.InsufficientCredit:
        raise InsufficientRewards from None
    _record(tx, payout, "payout.requested")
    return payout


def _record(tx: Tx, payout: Payout, action: str) -> None:
    record_event(
        tx,
        action,
        ids.public(Noun.PAYOUT, payout.id),
        payout.account_id,
        amount=text(payout.amount),
        token=payout.token,
    )


def _move(tx: Tx, payout: Payout, step: str, source: str, to: LedgerAccount) -> None:
    key = f"payout:{payout.id}:{step}"
    away = LedgerLine(payout.account_id, source, -payout.amount)
    arrives = LedgerLine(to.owner, to.kind, payout.amount)
    ledger.post(tx, key, f"payout {step}", payout.token, away, arrives)


def settle_payout(tx: Tx, id: UUID, reference: str) -> Payout:
    """The operator has sent it. Raises PayoutNotFound, PayoutEnded."""
    payout = _end(tx, id, "settled", reference=reference)
    _move(tx, payout, "settled", "payable", LedgerAccount(ledger.WORLD, "world"))
    return payout


def refuse_payout(tx: Tx, id: UUID, reason: str) -> Payout:
    """The amount is available again. Raises PayoutNotFound, PayoutEnded."""
    payout = _end(tx, id, "refused", reason=reason)
    _move(tx, payout, "refused", "payable", LedgerAccount(payout.account_id, "available"))
    return payout


def _end(
    tx: Tx, id: UUID, state: str, *, reference: str | None = None, reason: str | None = None
) -> Payout:
    if (payout := payout_store.end(tx, id, state, reference, reason)) is None:
        raise PayoutEnded if payout_store.by_id(tx, id, None) else PayoutNotFound
    _record(tx, payout, f"payout.{state}")
    outbox.tell(
        tx,
        payout.account_id,
        "payout.settled",
        payout.id,
        {
            "id": ids.public(Noun.PAYOUT, payout.id),
            "status": state,
            "token": payout.token,
            "amount": text(payout.amount),
        },
    )
    return payout


def find_payout(reader: Reader, account_id: UUID, id: UUID) -> Payout:
    """A payout of this account. Raises PayoutNotFound, also for another account's."""
    return required(payout_store.by_id(reader, id, account_id), PayoutNotFound)
