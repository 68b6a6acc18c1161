"""Handler that settles payments: asks the chain, has the transfer sent, asks until it is final."""

from app.core import db
from app.domains.money.payments import service as payments
from app.domains.money.payments import store
from app.domains.money.payments.interface import PaymentCheckUnavailable, Rail, Settlement
from app.domains.money.payments.rails import open_rails
from app.domains.money.payments.store import Payment
from app.domains.queue.jobs.service import Finish
from workers.queue.attempt import Attempt, handles

EXPIRED = "authorization_expired"
RECEIPT_SECONDS = 8.0


@handles(payments.KIND)
def reconcile(attempt: Attempt) -> Finish:
    """One attempt; SettlementPending leaves the rest to the next."""
    with db.reading() as reader:
        payment = payments.find(reader, attempt.id)
    if payment.state != "settling":
        return lambda _tx: None
    rail = open_rails(attempt.settings).get(payment.network)
    if rail is None:
        raise PaymentCheckUnavailable(why=f"{payment.network} is not configured any more")
    if payment.exposed:
        if (proved := _proved(attempt, rail, payment)) is not None:
            return proved
        if rail.await_broadcasts(payment.broadcasts, RECEIPT_SECONDS):
            if (proved := _proved(attempt, rail, payment)) is not None:
                return proved
            if not rail.expired(payment.valid_before):
                raise payments.SettlementPending
    return _decide(attempt, rail, payment)


def _decide(attempt: Attempt, rail: Rail, payment: Payment) -> Finish:
    """Nothing of it is on its way as far as anybody knows: settle, or see that it is too late.

    Expiry is read before the proof: what the chain had mined by then the proof sees.
    """
    expired = rail.expired(payment.valid_before)
    settlement = None if expired else _settle(attempt, rail, payment)
    if (proved := _proved(attempt, rail, payment)) is not None:
        return proved
    if expired:
        return lambda tx: payments.fail(tx, payment, EXPIRED)
    if settlement is not None and settlement.refused and not payment.exposed:
        return lambda tx: payments.fail(tx, payment, settlement.reason)
    raise payments.SettlementPending(why=settlement.reason if settlement else "")


def _settle(attempt: Attempt, rail: Rail, payment: Payment) -> Settlement:
    """Have the transfer sent; before it leaves, it is written down that it may have."""
    if payment.offer is None:
        raise LookupError(payment.id)

    def write_down(transaction: str | None) -> None:
        with attempt.step() as tx:
            store.expose(tx, payment.id, transaction)

    attempt.check()
    return rail.settle(payment.offer["payment"], payment.offer["requirement"], write_down)


def _proved(attempt: Attempt, rail: Rail, payment: Payment) -> Finish | None:
    proof = rail.proof(payments.transfer(payment))
    if proof is None:
        return None
    return lambda tx: payments.settle(tx, payment, proof)
