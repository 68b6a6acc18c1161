"""The jobs table, in the hands of a worker: claim, lease, progress, end of an attempt.

State changes are compare-and-set on (state, attempt, worker): whoever lost a job writes nothing.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from app.core.db import Tx, many, run, value
from app.domains.queue.jobs.kinds import begun_rows


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job in the hands of one worker; (id, attempt, worker) is the fence."""

    id: UUID
    account_id: UUID
    kind: str
    attempt: int
    max_attempts: int
    payload: dict[str, Any]
    time_limit_seconds: float
    """From the claim to the deadline, by the database's clock; a worker's own may be wrong."""
    request_id: str | None
    worker: str
    parent_id: UUID | None = None
    parts_open: int = 0
    """When it was claimed: more than none only if it was woken before its parts had ended."""
    claimed_at: float = field(default_factory=time.monotonic)
    claimed_time: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When it was claimed, by the database's clock."""

    @property
    def fence(self) -> dict[str, Any]:
        """The parameters by which statements tell this attempt from others."""
        return {"id": self.id, "attempt": self.attempt, "worker": self.worker}

    @property
    def now(self) -> datetime:
        """The time by the database's clock, which is that of deadlines and schedules."""
        return self.claimed_time + timedelta(seconds=time.monotonic() - self.claimed_at)

    @property
    def seconds_left(self) -> float:
        return self.time_limit_seconds - (time.monotonic() - self.claimed_at)

    @property
    def begun(self) -> Sequence[str]:
        """Rows that workers of former attempts may have died of, each as often as it was begun."""
        return begun_rows(self.payload)


# The fence is attempt and worker: a claim whose commit a database crash lost may be numbered again.
# `case` hides its conditions from the planner: with stale statistics it would read them from the
# partial index over deadline_at, which is to say all unfinished jobs for each claim.
_CLAIM = """
    update jobs
    set state = 'running', attempt = attempt + 1, worker = %(worker)s,
        started_at = coalesce(started_at, now()), dispatch_until = null,
        lease_until = now() + make_interval(secs => %(lease)s)
    where """
_IF_DUE = """
      and case when state in ('queued', 'dispatched')
          then kind = any(%(kinds)s) and run_at <= now() and deadline_at > now()
               and not exists (
                   select from queues where name = jobs.queue and paused_at is not null)
          else false end
    returning id, account_id, kind, attempt, max_attempts, payload,
              extract(epoch from deadline_at - now())::float as time_limit_seconds,
              request_id, worker, parent_id, parts_open, now() as claimed_time
    """
CLAIM = _CLAIM + "id = any(%(ids)s)" + _IF_DUE
# The server keeps a plan of this one. One for an array it makes anew while the array is short.
CLAIM_ONE = _CLAIM + "id = %(id)s" + _IF_DUE


def claim(
    tx: Tx, ids: list[UUID], kinds: list[str], worker: str, lease_seconds: float
) -> list[ClaimedJob]:
    how: dict[str, Any] = {"kinds": kinds, "worker": worker, "lease": lease_seconds}
    if len(ids) == 1:
        return many(tx, ClaimedJob, CLAIM_ONE, id=ids[0], **how)
    return many(tx, ClaimedJob, CLAIM, ids=ids, **how)


# A job in the middle of a step is locked by its own process: it is skipped, not waited for, and
# its step renews its lease (KEEP). The others of the process are renewed meanwhile.
RENEW = """
    with held as (
        select jobs.id, jobs.attempt
        from unnest(%(ids)s::uuid[], %(attempts)s::int[]) as held (id, attempt)
        join jobs using (id, attempt)
        where jobs.worker = %(worker)s and jobs.state = 'running'
    ), free as (
        select jobs.id from jobs join held using (id)
        where jobs.attempt = held.attempt and jobs.worker = %(worker)s and jobs.state = 'running'
        for no key update of jobs skip locked
    ), renewed as (
        update jobs set lease_until = now() + make_interval(secs => %(lease)s)
        from free where jobs.id = free.id
    )
    select id, attempt from held
    """


def renew(
    tx: Tx, held: list[tuple[UUID, int]], worker: str, lease_seconds: float
) -> set[tuple[UUID, int]]:
    """Renew all leases of one process; those not returned are lost."""
    rows = tx.execute(
        RENEW,
        {
            "ids": [id for id, _ in held],
            "attempts": [attempt for _, attempt in held],
            "worker": worker,
            "lease": lease_seconds,
        },
    )
    return {(row[0], row[1]) for row in rows.fetchall()}


HOLD = """
    select id from jobs
    where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'running'
    for no key update
    """


def hold(tx: Tx, job: ClaimedJob) -> bool:
    """True if the job is still this worker's; nobody can take it until the transaction ends."""
    return value(tx, HOLD, **job.fence) is not None


# By the clock of this moment: the transaction may have begun long ago.
KEEP = """
    update jobs set lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
    where id = %(id)s
    """


def keep(tx: Tx, job: ClaimedJob, lease_seconds: float) -> None:
    """Renew the lease of a job that this transaction holds."""
    run(tx, KEEP, id=job.id, lease=lease_seconds)


BEGIN_ROW = """
    update jobs set payload = payload || jsonb_build_object('begun', %(begun)s::text[])
    where id = %(id)s
    """


def begin_row(tx: Tx, job: ClaimedJob, begun: Sequence[str]) -> None:
    """Write down which rows of a job that this transaction holds were begun and not ended."""
    run(tx, BEGIN_ROW, id=job.id, begun=list(begun))


EXTEND = """
    update jobs
    set lease_until = least(clock_timestamp() + make_interval(secs => %(lease)s), deadline_at)
    where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'running'
    returning lease_until
    """


def extend(tx: Tx, job: ClaimedJob, lease_seconds: float) -> datetime | None:
    """Renew the lease of one job, up to its deadline; None when it is lost."""
    lease_until: datetime | None = value(tx, EXTEND, **job.fence, lease=lease_seconds)
    return lease_until


GIVE_BACK = """
    with given as (
        update jobs
        set state = 'queued', run_at = now(), delayed = false, lease_until = null,
            max_attempts = max_attempts + 1
        where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'running'
        returning id, attempt, worker, started_at
    )
    insert into job_attempts (job_id, attempt, worker, started_at, outcome)
    select id, attempt, worker, started_at, 'released' from given
    on conflict do nothing
    """


def give_back(tx: Tx, job: ClaimedJob) -> bool:
    """Let others do it at once; that was no attempt. False: it was no longer the holder's."""
    return run(tx, GIVE_BACK, **job.fence) == 1


PROGRESS = """
    update jobs set progress = %(progress)s
    where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'running'
    """


def progress(tx: Tx, job: ClaimedJob, report: dict[str, Any]) -> bool:
    """Publish progress; False when the job is no longer the worker's."""
    return run(tx, PROGRESS, **job.fence, progress=report) == 1


# By primary key only, as CLAIM: a join could begin with all running jobs.
SUCCEED = """
    update jobs
    set state = 'succeeded', finished_at = now(), lease_until = null,
        worked_seconds = (%(seconds)s::real[])[array_position(%(ids)s::uuid[], id)]
    where id = any(%(ids)s)
      and case when state = 'running' and worker = %(worker)s
          then attempt = (%(attempts)s::int[])[array_position(%(ids)s::uuid[], id)]
          else false end
    returning id
    """


# As CLAIM_ONE.
SUCCEED_ONE = """
    update jobs
    set state = 'succeeded', finished_at = now(), lease_until = null, worked_seconds = %(seconds)s
    where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'running'
    """


def succeed(tx: Tx, held: list[ClaimedJob], seconds: list[float]) -> set[UUID]:
    """End jobs of one worker well, which took so long; those not returned were no longer its."""
    if not held:
        return set()
    if len(held) == 1:
        (job,), (took,) = held, seconds
        return {job.id} if run(tx, SUCCEED_ONE, **job.fence, seconds=took) else set()
    rows = tx.execute(
        SUCCEED,
        {
            "ids": [job.id for job in held],
            "attempts": [job.attempt for job in held],
            "seconds": seconds,
            "worker": held[0].worker,
        },
    )
    return {row[0] for row in rows.fetchall()}


DONE = """
    select id from jobs
    where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'succeeded'
    """


def done(tx: Tx, job: ClaimedJob) -> bool:
    """True if this very attempt ended well: tells a lost commit's reply from a lost job."""
    return value(tx, DONE, **job.fence) is not None


# One statement ends or retries, and keeps the attempt's history.
FAIL = """
    with ended as (
        update jobs
        set state = case when %(final)s then 'failed' else 'queued' end,
            run_at = case when %(final)s then run_at
                     else now() + make_interval(secs => %(delay)s) end,
            delayed = true,
            finished_at = case when %(final)s then now() end,
            error = %(error)s, lease_until = null
        where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'running'
        returning id, attempt, worker, started_at
    )
    insert into job_attempts (job_id, attempt, worker, started_at, outcome, error)
    select id, attempt, worker, started_at, %(outcome)s, %(error)s from ended
    on conflict do nothing
    """


def fail(
    tx: Tx, job: ClaimedJob, *, final: bool, delay: float, outcome: str, error: dict[str, Any]
) -> bool:
    how = {"final": final, "delay": delay, "outcome": outcome, "error": error}
    return run(tx, FAIL, **job.fence, **how) == 1
