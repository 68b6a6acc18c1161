"""Money, exact to the last unit: transfers between accounts, and holds that are captured in parts.

A movement of a noun is ONE transfer with all its lines, and its key is made of the noun's id, so
nothing is paid twice. The noun's own row is moved first, by a compare-and-set, and the money after
it in the same transaction. Balances are locked by these functions alone, in one order: a
transaction that posts once cannot deadlock, one that posts twice may.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from app.core.amounts import text
from app.core.db import Reader, Tx
from app.core.errors import AppError
from app.domains.account.audit.service import record_event
from app.domains.money.ledger import store
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.money.payments import service as payments
from app.domains.money.payments import store as payment_store
from app.domains.money.payments.store import Payment
from app.domains.money.payments.wire import Offer
from app.domains.queue.jobs.kinds import EndedJob, register
from app.domains.queue.jobs.service import enqueue, revive

WORLD: Final = UUID(int=3)
"""Owner of what comes from outside and leaves: its accounts, of the kind `world`, are negative."""

FEES: Final = UUID(int=4)
"""Owner of the operator's fees."""


class InsufficientCredit(AppError):
    """Your credit does not cover this amount. Nothing was charged."""

    code, status = "insufficient_credit", 402


class KeyReused(RuntimeError):
    """A key was posted before with other lines: two movements share what must name one."""


class HoldExceeded(RuntimeError):
    """More was to be taken of a hold than it had left."""


def _until_posted(tx: Tx, job: EndedJob) -> None:
    """Credit that was paid for is posted, however often that fails: the money has moved."""
    payment = payment_store.of_job(tx, job.id)
    if job.state == "failed" and payment is not None and payment.state == "settled":
        revive(tx, CREDIT, job.id, delay=60.0, deadline_seconds=CREDIT.deadline_seconds)


CREDIT = register(
    "ledger.credit", queue="ledger", deadline_seconds=3600, on_end=_until_posted, cancellable=False
)
"""Posts what a settled payment bought."""

UNDECIDED_SECONDS: Final = 3650 * 86_400.0
"""Credit waits for its payment for as long as a chain may be away."""


def post(tx: Tx, key: str, why: str, token: str, *lines: LedgerLine) -> bool:
    """One transfer; lines sum to zero. False: it was posted before. Nothing moves but in True.

    Raises InsufficientCredit, KeyReused.
    """
    return _posted(store.post(tx, key, why, token, lines), key)


def _posted(outcome: str, key: str) -> bool:
    """True if it was posted now; raises for outcomes that are nobody's success."""
    if outcome == "short":
        raise InsufficientCredit
    if outcome == "other":
        raise KeyReused(key)
    return outcome == "posted"


def hold(
    tx: Tx,
    id: UUID,
    key: str,
    why: str,
    token: str,
    source: LedgerAccount,
    held: LedgerAccount,
    amount: Decimal,
) -> bool:
    """Set `amount` aside. False: it was before. Raises InsufficientCredit, KeyReused."""
    return _posted(store.hold(tx, id, key, why, token, source, held, amount), key)


def capture(tx: Tx, id: UUID, key: str, why: str, *to: LedgerLine) -> bool:
    """Take a part of a hold, by positive lines; taking the last of it closes it.

    False: it is closed or has too little left, and nothing moved. A key posted before: True, and
    nothing moves. Raises KeyReused; LookupError without such a hold.
    """
    outcome = store.capture(tx, id, key, why, to)
    if outcome == "missing":
        raise LookupError(f"no hold {id}")
    if outcome == "short":
        return False
    _posted(outcome, key)
    return True


def settle(tx: Tx, id: UUID, key: str, why: str, *to: LedgerLine, rest: LedgerAccount) -> bool:
    """Take `to`, give what is left to `rest` and close the hold: one transfer.

    False: it was closed before. Raises HoldExceeded; LookupError without such a hold.
    """
    return _close(tx, id, key, why, to, rest).outcome == "posted"


def release(tx: Tx, id: UUID, key: str, why: str, rest: LedgerAccount) -> Decimal | None:
    """Close a hold and give what is left to `rest`; how much that was, as the closing found it.

    0: all of it had been captured. None: it was released before. LookupError without such a hold.
    """
    closed = _close(tx, id, key, why, (), rest)
    if closed.outcome == "posted":
        return closed.released
    return None if closed.released else Decimal(0)


def _close(
    tx: Tx, id: UUID, key: str, why: str, to: Sequence[LedgerLine], rest: LedgerAccount
) -> store.HoldRelease:
    closed = store.settle(tx, id, key, why, to, rest)
    if closed.outcome == "missing":
        raise LookupError(f"no hold {id}")
    if closed.outcome == "short":
        raise HoldExceeded(key)
    return closed


def grant(tx: Tx, id: UUID, account_id: UUID, token: str, amount: Decimal) -> bool:
    """Credit from the operator. False: this grant was posted before. Raises KeyReused."""
    lines = LedgerLine(WORLD, "world", -amount), LedgerLine(account_id, "credit", amount)
    posted = post(tx, f"grant:{id}", "grant", token, *lines)
    if posted:
        record_event(tx, "credit.granted", None, account_id, amount=text(amount), token=token)
    return posted


def give_up(tx: Tx, id: UUID, account_id: UUID, token: str, amount: Decimal) -> bool:
    """Credit that its owner leaves to the operator. Raises InsufficientCredit."""
    lines = LedgerLine(account_id, "credit", -amount), LedgerLine(FEES, "fees", amount)
    return post(tx, f"given-up:{id}", "given up", token, *lines)


def await_credit(
    tx: Tx,
    account_id: UUID,
    request: dict[str, Any],
    token: str,
    offer: Offer,
    requirement: dict[str, Any],
    from_block: int,
) -> bool:
    """Write down a payment, and the credit that is posted once it is settled.

    False when the payment is known: then nothing was written.
    """
    seconds = CREDIT.deadline_seconds
    id = payments.begin(
        tx, offer, requirement, request, from_block=from_block, deadline_seconds=seconds
    )
    if id is None:
        return False
    enqueue(
        tx,
        CREDIT,
        account_id,
        {"amount": request["amount"], "token": token},
        id=id,
        deadline_seconds=UNDECIDED_SECONDS,
        pending=True,
    )
    return True


def credit(tx: Tx, payment: Payment, account_id: UUID, token: str, amount: Decimal) -> bool:
    """Post what a settled payment bought. False: it was posted before. Raises KeyReused."""
    lines = LedgerLine(WORLD, "world", -amount), LedgerLine(account_id, "credit", amount)
    return post(tx, f"x402:{payment.id}", "payment", token, *lines)


def available(reader: Reader, account_id: UUID) -> list[dict[str, Any]]:
    """The money that an account may spend, by token, and what its running chats hold of it."""
    amounts = {
        (each.token, each.kind): each.amount
        for each in store.balances(reader, account_id, "credit", "held")
    }
    return [
        {"token": token, "available": amount, "held": amounts.get((token, "held"), Decimal(0))}
        for (token, kind), amount in amounts.items()
        if kind == "credit"
    ]


def balance(reader: Reader, account: LedgerAccount, token: str) -> Decimal:
    """The balance of an account; 0 before anything was posted to it."""
    return store.balance(reader, account, token) or Decimal(0)
