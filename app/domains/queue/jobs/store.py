"""The jobs table: submit, look, start, cancel, revive. An attempt: attempt_store; dispatching:
dispatch_store; sweeping: sweep_store.

State changes are compare-and-set on the state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Statement, Tx, first, many, run, send, value, values


@dataclass(frozen=True, slots=True)
class Job:
    id: UUID
    account_id: UUID
    queue: str
    kind: str
    state: str
    attempt: int
    max_attempts: int
    payload: dict[str, Any]
    progress: dict[str, Any]
    error: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    deadline_at: datetime
    parent_id: UUID | None


@dataclass(frozen=True, slots=True)
class PastAttempt:
    attempt: int
    worker: str | None
    started_at: datetime | None
    ended_at: datetime
    outcome: str
    error: dict[str, Any] | None


_PROMISE = """
    with promised as (
        insert into jobs (id, account_id, queue, kind, state, priority, max_attempts, unique_key,
                          payload, request_id, parent_id, run_at, delayed, deadline_at)
        values (%(id)s, %(account_id)s, %(queue)s, %(kind)s, %(state)s, %(priority)s,
                %(max_attempts)s, %(unique_key)s, %(payload)s, %(request_id)s, %(parent_id)s,
                coalesce(%(run_at)s, now()), coalesce(%(run_at)s > now(), false),
                coalesce(%(deadline_at)s, coalesce(%(run_at)s, now())
                                          + make_interval(secs => %(deadline_seconds)s)))
        on conflict do nothing
        returning id, account_id, queue, kind, parent_id, deadline_at, delayed
    )
    """
_COUNT_PART = """, counted as (
        update jobs set parts_open = parts_open + 1 from promised where jobs.id = %(parent_id)s
    )
    """
# Notifying commits queue up on one lock, so only a sleeping dispatcher is woken. It is told of a
# single job what it needs to send it; many parts of one parent are one notification.
_ANNOUNCE = """
    select pg_notify('jobs_ready', queue || case when delayed or parent_id is not null then ''
        else concat(' ', id, ' ', kind, ' ', account_id, ' ',
                    extract(epoch from deadline_at - now())::float) end)
    from promised
    where %(announces)s and exists (select from dispatchers where sleeping)
    """


def insert(
    tx: Tx, *, noun: Statement | None = None, parent_id: UUID | None = None, **columns: Any
) -> None:
    """Add the job and, in the same statement, the row of its noun; a parent counts its part."""
    inserted = "" if noun is None else ", noun as (" + noun.sql + ")"
    counted = "" if parent_id is None else _COUNT_PART
    send(
        tx,
        _PROMISE + inserted + counted + _ANNOUNCE,
        parent_id=parent_id,
        **columns,
        **(noun.params if noun else {}),
    )


COLUMNS = """
    select id, account_id, queue, kind, state, attempt, max_attempts, payload, progress, error,
           created_at, started_at, finished_at, deadline_at, parent_id from jobs
    """

BY_ID = COLUMNS + "where id = %(id)s"

UNFINISHED = (
    COLUMNS
    + """where kind = %(kind)s and unique_key = %(unique_key)s
    and state in ('queued', 'dispatched', 'running', 'waiting')"""
)


def by_id(reader: Reader, id: UUID) -> Job | None:
    """A job by id whoever owns it: for the operator, and for domains that checked the owner."""
    return first(reader, Job, BY_ID, id=id)


def unfinished(reader: Reader, kind: str, unique_key: str) -> Job | None:
    return first(reader, Job, UNFINISHED, kind=kind, unique_key=unique_key)


UNFINISHED_OF = """
    select id from jobs
    where account_id = %(account_id)s and finished_at is null and kind = any(%(kinds)s)
    order by id limit %(most)s
    """


def unfinished_of(tx: Tx, account_id: UUID, kinds: list[str], most: int) -> list[UUID]:
    return values(tx, UNFINISHED_OF, account_id=account_id, kinds=kinds, most=most)


ATTEMPTS = """
    select attempt, worker, started_at, ended_at, outcome, error from job_attempts
    where job_id = %(id)s order by attempt
    """


def attempts(reader: Reader, id: UUID) -> list[PastAttempt]:
    """The former attempts and what became of them, oldest first."""
    return many(reader, PastAttempt, ATTEMPTS, id=id)


CANCEL = """
    update jobs set state = 'cancelled', finished_at = now(), lease_until = null
    where id = %(id)s and state in ('pending', 'queued', 'dispatched', 'running', 'waiting')
    returning id, account_id, queue, kind, state, attempt, max_attempts, payload, progress, error,
              created_at, started_at, finished_at, deadline_at, parent_id
    """


def cancel(tx: Tx, id: UUID) -> Job | None:
    return first(tx, Job, CANCEL, id=id)


START = """
    with started as (
        update jobs
        set state = 'queued', run_at = now(), delayed = false,
            deadline_at = now() + make_interval(secs => %(deadline_seconds)s)
        where id = %(id)s and state = 'pending'
        returning id, queue
    ), announced as (
        select pg_notify('jobs_ready', queue) from started
        where exists (select from dispatchers where sleeping)
    )
    select id from started left join announced on true
    """


def start(tx: Tx, id: UUID, deadline_seconds: float) -> bool:
    """Let a pending job be done, by a deadline counted from now."""
    return value(tx, START, id=id, deadline_seconds=deadline_seconds) is not None


HASTEN = """
    with hastened as (
        update jobs set run_at = now(), delayed = false
        where id = any(%(ids)s) and state = 'queued' and run_at > now()
        returning id, queue
    ), announced as (
        select count(pg_notify('jobs_ready', queue)) from (select distinct queue from hastened) each
        where exists (select from dispatchers where sleeping)
    )
    select count(*) from hastened, announced
    """


def hasten(tx: Tx, ids: Sequence[UUID]) -> int:
    """Let queued jobs be done now that wait for their time; how many did."""
    return int(value(tx, HASTEN, ids=list(ids)))


REFUSE = """
    update jobs set state = 'failed', finished_at = now(), error = %(error)s
    where id = %(id)s and state = 'pending'
    """


def refuse(tx: Tx, id: UUID, error: dict[str, Any]) -> bool:
    return run(tx, REFUSE, id=id, error=error) == 1


REVIVE = """
    update jobs
    set state = 'queued', run_at = now() + make_interval(secs => %(delay)s),
        delayed = %(delay)s > 0, finished_at = null,
        error = null, max_attempts = attempt + %(attempts)s,
        deadline_at = now() + make_interval(secs => %(delay)s + %(deadline_seconds)s)
    where id = %(id)s and state = 'failed'
    """


def revive(tx: Tx, id: UUID, *, attempts: int, delay: float, deadline_seconds: float) -> bool:
    wanted = {"attempts": attempts, "delay": delay, "deadline_seconds": deadline_seconds}
    return run(tx, REVIVE, id=id, **wanted) == 1


# Each half names the condition of an index: what is due, and what is out.
OTHERS_WAIT = """
    select exists (
        select from jobs where queue = %(queue)s and state = 'queued' and not delayed
        and kind <> %(kind)s
    ) or exists (
        select from jobs where queue = %(queue)s and state in ('dispatched', 'running')
        and state = 'dispatched' and kind <> %(kind)s
    )
"""


def others_wait(reader: Reader, queue: str, kind: str) -> bool:
    """True if a job of another kind is due in the queue, or sent to its workers."""
    return bool(value(reader, OTHERS_WAIT, queue=queue, kind=kind))
