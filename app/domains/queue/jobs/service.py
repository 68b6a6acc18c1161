"""The one life of everything that happens later. Callers hold the transaction.

    queued -> dispatched -> running -> succeeded | failed | cancelled
    running -> queued on a retry or a lost worker; dispatched -> queued when a message is lost
    running -> waiting -> queued for what waits for its parts
    pending -> queued | failed | cancelled for what waits for a payment

A submit is one INSERT in the caller's transaction: the row is the promise. Redis and Celery only
carry ids of rows; whoever claims a row gets an attempt number that fences all it writes.
"""

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import structlog

from app.core import ids, log, tracing
from app.core.db import Reader, Statement, Tx
from app.core.errors import AppError, NotFound
from app.domains.queue.jobs import attempt_store, dispatch_store, kinds, parts, store
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.kinds import EndedJob, Kind
from app.domains.queue.jobs.parts import Wait
from app.domains.queue.jobs.store import Job

OPERATOR = UUID(int=0)
"""The account of the operator's own work."""

LEFT_SECONDS = 1.0
"""Until a job that an older worker left is dispatched again."""

FINISHED = frozenset({"succeeded", "failed", "cancelled"})

Finish = Callable[[Tx], object]


class JobNotFound(NotFound):
    """No job with this id belongs to your account."""

    code = "job_not_found"


class WorkerLost(AppError):
    """The worker was lost on every attempt of this job."""

    code, status, retryable = "worker_lost", 500, True


class DeadlineExceeded(AppError):
    """The job did not finish by its deadline."""

    code, status, retryable = "deadline_exceeded", 504, True


def enqueue(
    tx: Tx,
    kind: Kind,
    account_id: UUID,
    payload: dict[str, Any],
    *,
    id: UUID | None = None,
    unique_key: str | None = None,
    run_at: Any = None,
    deadline_seconds: float | None = None,
    pending: bool = False,
    noun: Statement | None = None,
    parent: UUID | None = None,
) -> UUID:
    """Promise a job in the caller's transaction; a `pending` one waits for `start` or `refuse`.

    With `unique_key`, an unfinished job of the kind with that key is returned instead of a second
    one; without, nothing is waited for, so it fits into a pipeline. `run_at` (aware) delays it.
    `noun` inserts the row that shares the job's id, as `%(id)s`, in one statement with the job.

    A part of `parent` has its deadline and no `unique_key`. It is enqueued by what the parent's
    `Wait` writes or by the `on_part` of its kind. Raises ParentEnded.
    """
    job_id = id or ids.new()
    deadline_at = None if parent is None else parts.parent_of_another(tx, parent).deadline_at
    insert = functools.partial(
        store.insert,
        tx,
        id=job_id,
        account_id=account_id,
        queue=kind.queue,
        kind=kind.name,
        state="pending" if pending else "queued",
        announces=not (pending or kind.remote),
        priority=kind.priority,
        max_attempts=kind.max_attempts,
        unique_key=unique_key,
        payload={**payload, **tracing.headers()},
        request_id=structlog.contextvars.get_contextvars().get("request_id"),
        run_at=run_at,
        deadline_seconds=deadline_seconds or kind.deadline_seconds,
        deadline_at=deadline_at,
        noun=noun,
        parent_id=parent,
    )
    insert()
    if unique_key is not None:
        # The job in the way may have ended since: then there is room now.
        while not (job := store.unfinished(tx, kind.name, unique_key) or store.by_id(tx, job_id)):
            insert()
        job_id = job.id
    return job_id


def find(tx: Tx, id: UUID, account_id: UUID) -> Job:
    """A job of this account. Raises JobNotFound, also for another account's."""
    job = store.by_id(tx, id)
    if job is None or job.account_id != account_id:
        raise JobNotFound
    return job


def unfinished(reader: Reader, kind: Kind, unique_key: str) -> Job | None:
    """The one job of the kind with this key that has not ended."""
    return store.unfinished(reader, kind.name, unique_key)


def is_open(reader: Reader, id: UUID | None) -> bool:
    """True if there is such a job and it has not ended."""
    job = store.by_id(reader, id) if id is not None else None
    return job is not None and job.state not in FINISHED


def others_wait(reader: Reader, kind: Kind) -> bool:
    """True if a job of another kind waits for a worker of this kind's queue."""
    return store.others_wait(reader, kind.queue, kind.name)


def cancel(tx: Tx, id: UUID) -> Job | None:
    """End an unfinished job now; its worker stops at its next step. None: it had ended."""
    job = store.cancel(tx, id)
    if job is not None:
        ended(tx, _ended(job, job.state, job.error))
    return job


def cancel_all(tx: Tx, account_id: UUID, most: int) -> int:
    """End up to `most` unfinished jobs of an account; returns how many were looked at.

    What credits a payment goes on: the money has moved, or will.
    """
    cancellable = [kind.name for kind in kinds.every() if kind.cancellable]
    ids = store.unfinished_of(tx, account_id, cancellable, most)
    for id in ids:
        cancel(tx, id)
    return len(ids)


def refuse(tx: Tx, id: UUID, error: AppError) -> bool:
    """End a pending job with `error`. False: it is not pending."""
    return store.refuse(tx, id, describe(error))


def revive(tx: Tx, kind: Kind, id: UUID, *, delay: float = 0.0, deadline_seconds: float) -> bool:
    """Do a failed job again, with fresh attempts; from a kind's `on_end`, or for an operator.

    That hook runs in the transaction in which the job failed, so nobody has seen it fail. False:
    the job is not failed. Raises psycopg.errors.UniqueViolation when another of its key is open.
    """
    return store.revive(
        tx, id, attempts=kind.max_attempts, delay=delay, deadline_seconds=deadline_seconds
    )


def until_done(tx: Tx, job: EndedJob) -> None:
    """`on_end` of what nothing else would do later: a failed job is done again, however often."""
    if job.state == "failed":
        kind = kinds.of(job.kind)
        revive(tx, kind, job.id, delay=60.0, deadline_seconds=kind.deadline_seconds)


def ended(tx: Tx, job: EndedJob) -> None:
    """Run the kind's `on_end` for a job that failed or was cancelled, and tell its parent."""
    hook = kinds.of(job.kind).on_end
    if hook is not None:
        hook(tx, job)
    parts.ended(tx, job)


def _ended(job: Job | ClaimedJob, state: str, error: dict[str, Any] | None) -> EndedJob:
    return EndedJob(job.id, job.account_id, job.kind, state, job.payload, error, job.parent_id)


# What a worker does with a job, from the claim to the end.


def claim(tx: Tx, ids: list[UUID], worker: str, lease_seconds: float) -> list[ClaimedJob]:
    """Take those of `ids` that are still to be done; a second delivery gets nothing."""
    return attempt_store.claim(tx, ids, kinds.names(), worker, lease_seconds)


def leave(tx: Tx, ids: list[UUID]) -> int:
    """Put back what a newer process must do: those of these jobs whose kind is not known here."""
    return dispatch_store.leave(tx, ids, kinds.names(), LEFT_SECONDS)


def hold(tx: Tx, job: ClaimedJob) -> bool:
    """True if the job is still the worker's (and its parent waits) until the transaction ends."""
    return attempt_store.hold(tx, job) and parts.hold(tx, job.parent_id)


class Done(NamedTuple):
    """A job that was worked on, what writes its results, how long it took, and in which span."""

    job: ClaimedJob
    write: Finish | Wait
    seconds: float = 0.0
    trace: Mapping[str, str] = MappingProxyType({})


def finish(tx: Tx, done: Sequence[Done]) -> set[UUID]:
    """End jobs of one worker, or let them wait, and write their results, in the transaction.

    Results are written only for jobs that were still the worker's; their ids are returned. Raises
    ParentEnded for a part whose parent does not wait for it.
    """
    ending = [d for d in done if not isinstance(d.write, Wait)]
    held = attempt_store.succeed(tx, [d.job for d in ending], [d.seconds for d in ending])
    for job, write, _, trace in done:
        # For the jobs that it enqueues.
        with log.bound(request_id=job.request_id), tracing.following(trace):
            if isinstance(write, Wait):
                held |= {job.id} if parts.wait(tx, job, write) else set()
            elif job.id in held:
                write(tx)
    for part in _parts_first_of_the_deepest([d.job for d in ending if d.job.id in held]):
        parts.succeeded(tx, part)
    return held


def _parts_first_of_the_deepest(ended: Sequence[ClaimedJob]) -> list[ClaimedJob]:
    """A parent is older than its parts: in this order two workers never wait for each other."""
    return sorted(
        (job for job in ended if job.parent_id), key=lambda job: str(job.parent_id), reverse=True
    )


def fail(tx: Tx, job: ClaimedJob, error: AppError, *, retryable: bool) -> str | None:
    """Retry after a pause, no shorter than `error` says, or end the job with it.

    Returns the state it is in now, or None when it was no longer the worker's.
    """
    delay = max(_pause_seconds(kinds.of(job.kind), job), error.retry_after_seconds)
    final = not retryable or job.attempt >= job.max_attempts
    description = describe(error)
    if not attempt_store.fail(
        tx, job, final=final, delay=delay, outcome="failed", error=description
    ):
        return None
    if not final:
        return "queued"
    ended(tx, _ended(job, "failed", description))
    return "failed"


def _pause_seconds(kind: Kind, job: ClaimedJob) -> float:
    """Before the next attempt: the kind's own pauses, or capped exponential backoff; jittered."""
    if kind.pauses:
        # Every rest and every deploy has granted one attempt more: those were no failures.
        failures = job.attempt - (job.max_attempts - kind.max_attempts)
        pause = kind.pauses[min(max(failures, 1), len(kind.pauses)) - 1]
        return pause * random.uniform(0.8, 1.2)  # noqa: S311 (spreads load, guards nothing)
    doubled = kind.backoff_seconds * 2.0 ** min(job.attempt - 1, 64)  # 2.0 ** 1024 is no float
    ceiling = min(kind.backoff_limit_seconds, doubled)
    return ceiling * random.uniform(0.5, 1.0)  # noqa: S311


def describe(error: AppError) -> dict[str, Any]:
    """The `error` a failed job shows: code, message, and whether trying again helps."""
    return {"code": error.code, "message": str(error), "retryable": error.retryable}
