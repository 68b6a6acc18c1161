"""The jobs nobody hears of: lost messages, dead workers, passed deadlines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value
from app.domains.queue.jobs.kinds import EndedJob


@dataclass(frozen=True, slots=True)
class Overdue:
    """A job whose message has not been picked up in time."""

    id: UUID
    queue: str


OVERDUE = """
    select id, queue from jobs where state = 'dispatched' and dispatch_until < now() limit %(most)s
    """


def overdue(reader: Reader, most: int) -> list[Overdue]:
    """Dispatched jobs that nobody has taken in time: their messages wait, or are lost."""
    return many(reader, Overdue, OVERDUE, most=most)


EXTEND = """
    update jobs set dispatch_until = now() + make_interval(secs => %(lost)s)
    where id = any(%(ids)s) and state = 'dispatched'
    """


def extend(tx: Tx, ids: list[UUID], lost_seconds: float) -> int:
    """Their messages are still there: give workers more time to take them."""
    return run(tx, EXTEND, ids=ids, lost=lost_seconds)


# Only if they are still overdue: another dispatcher may have sent them again meanwhile.
LOST_MESSAGES = """
    with lost as (
        select id from jobs
        where id = any(%(ids)s) and state = 'dispatched' and dispatch_until < now()
        for update skip locked
    )
    update jobs set state = 'queued', dispatch_until = null from lost where jobs.id = lost.id
    """


def requeue(tx: Tx, ids: list[UUID]) -> int:
    """Their messages are lost: the jobs wait again."""
    return run(tx, LOST_MESSAGES, ids=ids)


SWEPT = """
    with before as (
        select swept_at from sweeps where swept_at < now() - interval '2 seconds' for update
    )
    update sweeps set swept_at = now() from before
    returning extract(epoch from now() - before.swept_at)::float
    """


def swept(tx: Tx) -> float:
    """The seconds for which nobody has swept; less than two count as none."""
    return float(value(tx, SWEPT) or 0.0)


PROLONG = """
    update jobs set lease_until = now() + make_interval(secs => %(seconds)s)
    where state = 'running' and kind = any(%(kinds)s)
      and lease_until < now() + make_interval(secs => %(seconds)s)
    """


def prolong(tx: Tx, kinds: list[str], seconds: float) -> int:
    """No lease of these kinds ends within so long."""
    return run(tx, PROLONG, kinds=kinds, seconds=seconds)


# A worker that died: the job goes back, or ends when its attempts are used up.
LOST_LEASES = """
    with lost as (
        select id, attempt, worker, started_at from jobs
        where state = 'running' and lease_until < now() and kind = any(%(kinds)s)
        limit %(most)s for update skip locked
    ), history as (
        insert into job_attempts (job_id, attempt, worker, started_at, outcome)
        select id, attempt, worker, started_at, 'lost' from lost on conflict do nothing
    )
    update jobs
    set state = case when jobs.attempt >= jobs.max_attempts then 'failed' else 'queued' end,
        finished_at = case when jobs.attempt >= jobs.max_attempts then now() end,
        error = case when jobs.attempt >= jobs.max_attempts then %(error)s else jobs.error end,
        run_at = now(), delayed = false, lease_until = null
    from lost where jobs.id = lost.id
    returning jobs.id, jobs.account_id, jobs.kind, jobs.state, jobs.payload, jobs.error,
    jobs.parent_id
    """


def leases(tx: Tx, kinds: list[str], error: dict[str, Any], most: int) -> list[EndedJob]:
    """Take jobs from silent workers; returns them with the state they are in now."""
    return many(tx, EndedJob, LOST_LEASES, kinds=kinds, error=error, most=most)


# A part has the deadline of its parent, and ends with it.
PAST_DEADLINE = """
    with late as (
        select id, attempt, worker, started_at, state as was from jobs
        where finished_at is null and deadline_at < now()
          and parent_id is null and kind = any(%(kinds)s)
        order by deadline_at limit %(most)s for update skip locked
    ), history as (
        insert into job_attempts (job_id, attempt, worker, started_at, outcome, error)
        select id, attempt, worker, started_at, 'overdue', %(error)s from late
        where was = 'running' on conflict do nothing
    )
    update jobs
    set state = 'failed', finished_at = now(), lease_until = null, dispatch_until = null,
        error = %(error)s
    from late where jobs.id = late.id
    returning jobs.id, jobs.account_id, jobs.kind, jobs.state, jobs.payload, jobs.error
    """


def deadlines(tx: Tx, kinds: list[str], error: dict[str, Any], most: int) -> list[EndedJob]:
    """End what is past its deadline, the longest overdue first."""
    return many(tx, EndedJob, PAST_DEADLINE, kinds=kinds, error=error, most=most)


RELEASE = """
    with given as (
        select id, attempt, worker, started_at from jobs
        where state = 'running' and starts_with(worker, %(host)s) and kind <> all(%(but)s)
        for update
    ), history as (
        insert into job_attempts (job_id, attempt, worker, started_at, outcome)
        select id, attempt, worker, started_at, 'released' from given on conflict do nothing
    )
    update jobs
    set state = 'queued', run_at = now(), delayed = false, lease_until = null,
        max_attempts = jobs.max_attempts + 1     -- a deploy is not the job's failure
    from given where jobs.id = given.id
    """


def release(tx: Tx, host: str, *, but: Sequence[str] = ()) -> int:
    """Give back what workers named `host...` still hold, but for jobs of the kinds `but`."""
    return run(tx, RELEASE, host=host, but=list(but))


POSTPONE = """
    update jobs set deadline_at = deadline_at + make_interval(secs => %(seconds)s)
    where finished_at is null
    """


def postpone(tx: Tx, seconds: float) -> int:
    return run(tx, POSTPONE, seconds=seconds)
