"""Payments: offered, settled, proven, and the jobs that they pay for. Callers hold the transaction;
chains are queried outside of it.

    settling -> settled    the chain proves the transfer
    settling -> failed     refused before anything could be sent, or expired without the transfer

A payment is for one pending job. The row is written, with the job, before anything can be sent: it
is the lock on the authorization and the record of a crash. What moves it on is a job of its own
kind and of the same id, whose lease is the only right to have the transfer sent.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid5

from app.core import ids, log
from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.core.errors import AppError, Conflict, required
from app.domains.money.payments import store
from app.domains.money.payments.interface import Proof, Requirement, Transfer
from app.domains.money.payments.store import Payment
from app.domains.money.payments.wire import Offer
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs import store as job_store
from app.domains.queue.jobs.kinds import EndedJob, Kind

logger = log.get(__name__)

PAYERS = UUID(int=2)
"""The account to which everything belongs that is paid for without one."""

RECONCILE_SECONDS = 7 * 86_400.0
PENDING_SECONDS = 86_400.0
"""A paid job waits so long for its payment: far longer than an authorization is valid."""
FREE_RERUNS = 1


class PaymentFailed(AppError):
    """The payment failed and nothing was charged. You can sign a new payment."""

    code, status = "payment_failed", 402


class PaymentConflict(Conflict):
    """This payment belongs to another request. Sign a new payment."""

    code = "payment_conflict"


class PaymentAlreadyUsed(Conflict):
    """This payment authorization was already used.

    Read the search with its access token, or sign in with the paying wallet.
    """

    code = "payment_already_used"


class SettlementPending(AppError):
    """The payment is not confirmed yet. The server is checking it."""

    code, status, retryable = "settlement_pending", 503, True


def _look_again(tx: Tx, job: EndedJob) -> None:
    """Until it is final: a payment without a decision needs one, whatever ended its job."""
    payment = store.by_id(tx, job.id)
    if job.state == "failed" and payment is not None and payment.state == "settling":
        jobs.revive(tx, KIND, job.id, delay=300.0, deadline_seconds=RECONCILE_SECONDS)


KIND = kinds.register(
    "payments.reconcile",
    queue="payments",
    deadline_seconds=RECONCILE_SECONDS,
    max_attempts=100_000,
    priority=10,
    backoff_seconds=1.0,
    backoff_limit_seconds=60.0,
    on_end=_look_again,
    cancellable=False,
)


def account_of(payer: str) -> UUID:
    """Under which a wallet's jobs are done: wallets take turns as accounts do."""
    return uuid5(PAYERS, payer)


def begin(
    tx: Tx,
    offer: Offer,
    requirement: Requirement,
    request: dict[str, Any],
    *,
    from_block: int,
    deadline_seconds: float,
) -> UUID | None:
    """Write down that a job is to be paid with `offer`, and enqueue the settlement.

    Returns the id that the job is to have; once it is paid, it has `deadline_seconds`. None when
    the authorization or the identifier is known: then nothing was written.
    """
    id, job_id = ids.new(), ids.new()
    written = store.insert(
        tx,
        id=id,
        job_id=job_id,
        network=offer.network,
        asset=offer.asset,
        payer=offer.payer,
        nonce=offer.nonce,
        pay_to=requirement["payTo"].lower(),
        amount=requirement["amount"],
        valid_before=offer.valid_before,
        from_block=from_block,
        deadline_seconds=deadline_seconds,
        identifier_digest=offer.identifier_digest,
        payload_digest=offer.payload_digest,
        request_digest=request_digest(request),
        offer={"payment": offer.payload, "requirement": requirement},
    )
    if not written:
        return None
    jobs.enqueue(tx, KIND, account_of(offer.payer), {}, id=id)
    return job_id


def same(payment: Payment, offer: Offer, request_digest: bytes) -> None:
    """Makes sure that the sender of a repeated `offer` is the payer himself, with the same request.

    A settled authorization is on the chain for everybody to copy; the identifier is not.
    So the request is compared for the payer alone: a copy must not learn the question.
    Raises PaymentConflict, PaymentAlreadyUsed.
    """
    if payment.nonce != offer.nonce:
        raise PaymentConflict
    if payment.identifier_digest is None or payment.payload_digest != offer.payload_digest:
        raise PaymentAlreadyUsed
    if payment.request_digest != request_digest:
        raise PaymentConflict


def find(reader: Reader, id: UUID) -> Payment:
    """LookupError when there is none."""
    return required(store.by_id(reader, id), LookupError(id))


def is_settled(reader: Reader, job_id: UUID) -> bool:
    """True if a job was paid for."""
    payment = store.of_job(reader, job_id)
    return payment is not None and payment.state == "settled"


def transfer(payment: Payment) -> Transfer:
    return Transfer(
        asset=payment.asset,
        payer=payment.payer,
        nonce=payment.nonce,
        pay_to=payment.pay_to,
        amount=int(payment.amount),
        from_block=payment.from_block,
        valid_before=payment.valid_before,
    )


def settle(tx: Tx, payment: Payment, proof: Proof) -> None:
    """The chain has proved it: the payment is settled and its job may start, together."""
    if not store.settle(tx, payment.id, proof.transaction, proof.log_index):
        return
    if not _start(tx, payment):
        logger.error("paid, but the job had ended", payment_id=str(payment.id))


def _start(tx: Tx, payment: Payment) -> bool:
    """Also a job that has waited for its payment in vain: the money has moved."""
    if job_store.start(tx, payment.job_id, payment.deadline_seconds):
        return True
    job = job_store.by_id(tx, payment.job_id)
    return job is not None and jobs.revive(
        tx, kinds.of(job.kind), job.id, deadline_seconds=payment.deadline_seconds
    )


def fail(tx: Tx, payment: Payment, reason: str) -> None:
    """It is certain that nothing moved and nothing will: the job fails with it."""
    if store.fail(tx, payment.id, reason):
        jobs.refuse(tx, payment.job_id, PaymentFailed())


def rerun(tx: Tx, kind: Kind, job_id: UUID, deadline_seconds: float) -> bool:
    """From the paid kind's `on_end`: do a paid job that failed once more, for nothing."""
    if not store.rerun(tx, job_id, FREE_RERUNS):
        return False
    return jobs.revive(tx, kind, job_id, deadline_seconds=deadline_seconds)


def access_token(settings: Settings, payment: Payment) -> str:
    """The token that reads the job's results. Nothing is stored: it is derived whenever needed."""
    return _token(settings.secret_key, payment)


def opens(settings: Settings, payment: Payment, token: str) -> bool:
    """True if `token` is the payment's, also under a former SECRET_KEY."""
    presented = token_digest(token)
    tokens = [_token(key, payment) for key in settings.secret_keys]
    digests = [*map(token_digest, tokens), *map(bytes, payment.former_tokens)]
    matches = [hmac.compare_digest(digest, presented) for digest in digests]
    return any(matches)


def token_digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def keep_former_tokens(tx: Tx, settings: Settings, after: UUID, most: int) -> UUID | None:
    """Go on recognising what SECRET_KEY_PREVIOUS derived, of up to `most` payments after `after`.

    Where the next ones begin, or None at the end.
    """
    readable = store.readable(tx, after, most)
    tokens = {paid.id: _token(settings.secret_key_previous, paid) for paid in readable}
    store.keep_former_tokens(tx, {id: token_digest(token) for id, token in tokens.items()})
    return readable[-1].id if len(readable) == most else None


def _token(key: str, payment: Payment | store.ReadablePayment) -> str:
    purpose = f"payments read {payment.job_id} {payment.id}".encode()
    return "cgp_" + hmac.new(key.encode(), purpose, hashlib.sha256).hexdigest()


def request_digest(request: Mapping[str, Any]) -> bytes:
    """Of a validated request; the order in which its members were sent does not matter."""
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()
