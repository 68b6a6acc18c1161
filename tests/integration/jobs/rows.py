"""Kinds of work for these tests, and short ways to bring a job into a state."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.core.errors import AppError
from app.domains.queue.jobs import dispatch_store, kinds, store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.dispatch import sweep as sweeping
from app.domains.queue.jobs.dispatch_store import DueJob
from app.domains.queue.jobs.kinds import EndedJob, Kind
from app.domains.queue.jobs.operations.queues import queue_store
from app.domains.queue.jobs.store import Job
from tests.databases import become_owner

QUEUE = "rows"
ACCOUNT = ids.new()
WORKER = "host:1:2"
OTHER = "host:1:3"
LEASE = 3_000.0


def hook(tx: Tx, job: EndedJob) -> None:
    """Leaves one row that says how the job ended, or raises when the payload says so."""
    if job.payload.get("hook_raises"):
        raise LookupError
    tx.execute("insert into ended (job_id, state) values (%s, %s)", (job.id, job.state))


PLAIN = kinds.register(
    "test.rows.plain",
    queue=QUEUE,
    deadline_seconds=6_000,
    max_attempts=3,
    backoff_seconds=200,
    backoff_limit_seconds=500,
)
SHORT = kinds.register("test.rows.short", queue=QUEUE, deadline_seconds=6_000, ids_per_message=4)
URGENT = kinds.register("test.rows.urgent", queue=QUEUE, deadline_seconds=6_000, priority=10)
HOOKED = kinds.register(
    "test.rows.hooked", queue=QUEUE, deadline_seconds=6_000, max_attempts=1, on_end=hook
)
REGULAR = kinds.register(
    "test.rows.regular", queue=QUEUE, deadline_seconds=6_000, every_seconds=3600
)
UNKNOWN = Kind(name="test.rows.unknown", queue=QUEUE, deadline_seconds=6_000)
"""Not registered: a kind that only a newer process knows."""


class Odd(AppError):
    """Something odd."""

    code, status, retryable = "odd", 500, True


def promise(kind: Kind = PLAIN, account: UUID = ACCOUNT, **options: Any) -> UUID:
    payload = options.pop("payload", {})
    with db.transaction() as tx:
        return jobs.enqueue(tx, kind, account, payload, **options)


MANY = """
    insert into jobs (id, account_id, queue, kind, max_attempts, run_at, delayed, deadline_at)
    select uuid_in(md5(n::text)::cstring), uuid_in(md5((n %% %(accounts)s)::text)::cstring),
           %(queue)s, %(kind)s, 4, now() + %(later)s, %(later)s > '0 s', now() + interval '1 hour'
    from generate_series(%(start)s::int, %(jobs)s) as n
    """


def promise_many(accounts: int, jobs: int, later: timedelta = timedelta(), start: int = 1) -> None:
    with db.transaction() as tx:
        db.run(
            tx,
            MANY,
            accounts=accounts,
            jobs=jobs,
            later=later,
            start=start,
            queue=QUEUE,
            kind=PLAIN.name,
        )


def take(id: UUID, worker: str = WORKER, lease: float = LEASE) -> ClaimedJob:
    """Claim one job that is there to be claimed."""
    with db.transaction() as tx:
        (claimed,) = jobs.claim(tx, [id], worker, lease)
    return claimed


def held(kind: Kind = PLAIN, **options: Any) -> ClaimedJob:
    return take(promise(kind, **options))


def establish() -> None:
    """Let the queue be known, as a dispatcher does when it starts."""
    with db.transaction() as tx:
        queue_store.establish(tx, [QUEUE])


def dispatch(depth: int = 100, lost_seconds: float = 30.0) -> list[DueJob]:
    with db.transaction() as tx:
        return selection.choose(tx, QUEUE, depth, lost_seconds).jobs


def wake() -> int:
    with db.transaction() as tx:
        return dispatch_store.wake(tx)


def end(job: ClaimedJob, seconds: float = 0.0) -> None:
    """End the job well, after so long."""
    with db.transaction() as tx:
        jobs.finish(tx, [jobs.Done(job, lambda _tx: None, seconds)])


def fail(job: ClaimedJob, *, retryable: bool = True) -> str | None:
    with db.transaction() as tx:
        return jobs.fail(tx, job, Odd(), retryable=retryable)


def cancel(id: UUID) -> Job | None:
    with db.transaction() as tx:
        return jobs.cancel(tx, id)


def sweep() -> list[EndedJob]:
    with db.transaction() as tx:
        return sweeping.sweep(tx).ended


def past(column: str, id: UUID) -> None:
    """Let a time of this job have been a second ago."""
    assert column in ("lease_until", "deadline_at", "dispatch_until", "run_at")
    with db.transaction() as tx:
        tx.execute(f"update jobs set {column} = now() - interval '1 s' where id = %s", (id,))  # noqa: S608


def set_clock_behind(tx: Tx) -> None:
    """For the rest of this transaction the database is an hour behind."""
    become_owner(tx)
    tx.execute("create schema if not exists behind")
    tx.execute(
        "create or replace function behind.now() returns timestamptz stable"
        " return pg_catalog.now() - interval '1 hour'"
    )
    tx.execute("set local search_path = behind, pg_catalog, public")


def row(id: UUID) -> Job:
    with db.reading() as reader:
        found = store.by_id(reader, id)
    assert found is not None
    return found


def state(id: UUID) -> str:
    return row(id).state


def outcomes(id: UUID) -> list[tuple[int, str]]:
    with db.reading() as reader:
        return [(attempt.attempt, attempt.outcome) for attempt in store.attempts(reader, id)]


def value(sql: Any, **params: Any) -> Any:
    with db.reading() as reader:
        return db.value(reader, sql, **params)
