"""The payments table. A state change is a compare-and-set on `settling`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, many, run, value
from app.domains.money.payments.wire import Offer


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    id: UUID
    job_id: UUID
    network: str
    asset: str
    payer: str
    nonce: str
    pay_to: str
    amount: Decimal
    valid_before: datetime
    from_block: int
    identifier_digest: bytes | None
    payload_digest: bytes
    request_digest: bytes
    offer: dict[str, Any] | None
    deadline_seconds: float
    state: str
    exposed: bool
    broadcasts: list[str]
    transaction: str | None
    reason: str | None
    created_at: datetime
    former_tokens: list[bytes]


COLUMNS = """
    select id, job_id, network, asset, payer, nonce, pay_to, amount, valid_before, from_block,
           identifier_digest, payload_digest, request_digest, offer, deadline_seconds, state,
           exposed, broadcasts, transaction, reason, created_at, former_tokens
    from payments
    """

INSERT = """
    insert into payments (id, job_id, network, asset, payer, nonce, pay_to, amount, valid_before,
                          from_block, identifier_digest, payload_digest, request_digest, offer,
                          deadline_seconds)
    values (%(id)s, %(job_id)s, %(network)s, %(asset)s, %(payer)s, %(nonce)s, %(pay_to)s,
            %(amount)s, %(valid_before)s, %(from_block)s, %(identifier_digest)s,
            %(payload_digest)s, %(request_digest)s, %(offer)s, %(deadline_seconds)s)
    on conflict do nothing
    """


def insert(tx: Tx, **columns: Any) -> bool:
    """False when this authorization or this payer's identifier is known."""
    return run(tx, INSERT, **columns) == 1


BY_ID = COLUMNS + "where id = %(id)s"
OF_JOB = COLUMNS + "where job_id = %(job_id)s"
# The authorization itself before another one with the same identifier.
KNOWN = (
    COLUMNS
    + """
    where payer = %(payer)s
      and ((network = %(network)s and asset = %(asset)s and nonce = %(nonce)s)
           or identifier_digest = %(identifier_digest)s)
    order by nonce = %(nonce)s desc limit 1
    """
)


def by_id(reader: Reader, id: UUID) -> Payment | None:
    return first(reader, Payment, BY_ID, id=id)


def of_job(reader: Reader, job_id: UUID) -> Payment | None:
    return first(reader, Payment, OF_JOB, job_id=job_id)


def known(reader: Reader, offer: Offer) -> Payment | None:
    """The payment with this authorization, or else with this payer's identifier."""
    return first(
        reader,
        Payment,
        KNOWN,
        network=offer.network,
        asset=offer.asset,
        payer=offer.payer,
        nonce=offer.nonce,
        identifier_digest=offer.identifier_digest,
    )


EXPOSE = """
    update payments
    set exposed = true,
        broadcasts = case when %(transaction)s::text is null or %(transaction)s = any(broadcasts)
                     then broadcasts else broadcasts || %(transaction)s::text end
    where id = %(id)s and state = 'settling'
    """


def expose(tx: Tx, id: UUID, transaction: str | None) -> bool:
    """Before it leaves: from now on somebody may hold the power to move the money."""
    return run(tx, EXPOSE, id=id, transaction=transaction) == 1


SETTLE = """
    update payments
    set state = 'settled', transaction = %(transaction)s, log_index = %(log_index)s,
        decided_at = now(), offer = null
    where id = %(id)s and state = 'settling'
    """


def settle(tx: Tx, id: UUID, transaction: str, log_index: int) -> bool:
    return run(tx, SETTLE, id=id, transaction=transaction, log_index=log_index) == 1


FAIL = """
    update payments set state = 'failed', reason = %(reason)s, decided_at = now(), offer = null
    where id = %(id)s and state = 'settling'
    """


def fail(tx: Tx, id: UUID, reason: str) -> bool:
    return run(tx, FAIL, id=id, reason=reason) == 1


RERUN = """
    update payments set reruns = reruns + 1
    where job_id = %(job_id)s and state = 'settled' and reruns < %(most)s
    """


def rerun(tx: Tx, job_id: UUID, most: int) -> bool:
    return run(tx, RERUN, job_id=job_id, most=most) == 1


@dataclass(frozen=True, slots=True)
class ReadablePayment:
    """The facts that a token is derived from, of a payment whose job is still there."""

    id: UUID
    job_id: UUID


READABLE = """
    select payments.id, payments.job_id from payments join jobs on jobs.id = payments.job_id
    where payments.id > %(after)s order by payments.id limit %(most)s
    """


def readable(reader: Reader, after: UUID, most: int) -> list[ReadablePayment]:
    return many(reader, ReadablePayment, READABLE, after=after, most=most)


KEEP_FORMER_TOKENS = """
    update payments set former_tokens = payments.former_tokens || former.digest
    from unnest(%(ids)s::uuid[], %(digests)s::bytea[]) as former (id, digest)
    where payments.id = former.id and not former.digest = any(payments.former_tokens)
    """


def keep_former_tokens(tx: Tx, digests: Mapping[UUID, bytes]) -> int:
    """Add the digest of a token to those that are recognised; one that is there stays alone."""
    return run(tx, KEEP_FORMER_TOKENS, ids=list(digests), digests=list(digests.values()))


SPEND_NONCE = """
    insert into sign_in_nonces (nonce, expires_at) values (%(nonce)s, %(expires_at)s)
    on conflict do nothing
    """


def spend_nonce(tx: Tx, nonce: str, expires_at: datetime) -> bool:
    """False when somebody has signed in with it before."""
    return run(tx, SPEND_NONCE, nonce=nonce, expires_at=expires_at) == 1


FORGET_NONCES = """
    delete from sign_in_nonces where nonce in (
        select nonce from sign_in_nonces where expires_at < now() order by expires_at
        limit %(most)s for update skip locked)
    """


def forget_nonces(tx: Tx, most: int) -> int:
    """Forget some nonces past their time; returns how many."""
    return run(tx, FORGET_NONCES, most=most)


OWED = """
    select count(*) from payments join jobs on jobs.id = payments.job_id
    where payments.state = 'settled' and jobs.state in ('failed', 'cancelled')
    """


def owed(reader: Reader) -> int:
    """Counts the settled payments whose job failed for good: an operator may pay them back."""
    return int(value(reader, OWED))


UNDECIDED = """
    select count(*) from payments
    where state = 'settling' and created_at < now() - interval '1 hour'
    """


def undecided(reader: Reader) -> int:
    """Counts the payments that have waited for more than an hour for a decision."""
    return int(value(reader, UNDECIDED))
