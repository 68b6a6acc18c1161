"""Jobs that wait and their parts. Locks are taken from a part to its parent, never downwards."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.core.db import Tx, first, many, run
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.kinds import EndedJob


@dataclass(frozen=True, slots=True)
class Parent:
    id: UUID
    account_id: UUID
    kind: str
    state: str
    parts_open: int
    parent_id: UUID | None
    deadline_at: datetime


LOCK = """
    select id, account_id, kind, state, parts_open, parent_id, deadline_at
    from jobs where id = %(id)s and finished_at is null for no key update
    """


def lock(tx: Tx, id: UUID) -> Parent | None:
    """An unfinished job that is to have a part; it stays unfinished until the transaction ends."""
    return first(tx, Parent, LOCK, id=id)


# Shared: the steps of several parts go side by side, and whoever cancels waits for them.
SHARE = """
    select id, account_id, kind, state, parts_open, parent_id, deadline_at
    from jobs where id = %(id)s and state = 'waiting' for share
    """


def share(tx: Tx, id: UUID) -> Parent | None:
    """A parent that waits; it goes on waiting until the transaction ends."""
    return first(tx, Parent, SHARE, id=id)


# Until its deadline at the latest, as it is woken to end.
WAIT = """
    update jobs
    set state = 'waiting', lease_until = null, run_at = coalesce(%(until)s, deadline_at),
        max_attempts = max_attempts + 1     -- being woken is no failed attempt
    where id = %(id)s and attempt = %(attempt)s and worker = %(worker)s and state = 'running'
    """


def wait(tx: Tx, job: ClaimedJob, until: datetime | None) -> bool:
    return run(tx, WAIT, **job.fence, until=until) == 1


RESUME = """
    with resumed as (
        update jobs
        set state = 'queued', run_at = coalesce(%(at)s, now()),
            delayed = coalesce(%(at)s > now(), false)
        where id = %(id)s and state = 'waiting' and parts_open = 0
        returning queue
    )
    select pg_notify('jobs_ready', queue) from resumed
    where exists (select from dispatchers where sleeping)
    """


def resume(tx: Tx, id: UUID, at: datetime | None = None) -> None:
    """Let a job that waits for no part be done again, then or at once."""
    run(tx, RESUME, id=id, at=at)


COUNT_DOWN = """
    update jobs set parts_open = parts_open - 1 where id = %(id)s and finished_at is null
    returning id, account_id, kind, state, parts_open, parent_id, deadline_at
    """


def count_down(tx: Tx, id: UUID) -> Parent | None:
    """A part has ended: its parent as it is now, locked. None: the parent has ended before."""
    return first(tx, Parent, COUNT_DOWN, id=id)


# Parents that were to be woken by now, whether or not their parts have ended.
WAKE_DUE = """
    with due as (
        select id from jobs where state = 'waiting' and run_at <= now()
        order by run_at limit %(most)s for update skip locked
    )
    update jobs set state = 'queued', delayed = false from due where jobs.id = due.id
    """


def wake_due(tx: Tx, most: int) -> int:
    return run(tx, WAKE_DUE, most=most)


# Who ends a parent takes its row alone; so its parts end here, or at their own next step. The index
# over open parts is walked from parent to parent: there may be a million parts.
ORPHANS = """
    with recursive parents as (
        (select parent_id as id from jobs where parent_id is not null and finished_at is null
         order by parent_id limit 1)
        union all
        select next.parent_id from parents cross join lateral (
            select parent_id from jobs
            where parent_id > parents.id and parent_id is not null and finished_at is null
            order by parent_id limit 1
        ) as next
    ), ended as (
        select parents.id from parents join jobs parent on parent.id = parents.id
        where parent.finished_at is not null
    ), orphans as (
        select part.id from jobs part
        where part.parent_id = any(array(select id from ended)) and part.parent_id is not null
          and part.finished_at is null and part.kind = any(%(kinds)s)
        limit %(most)s for update of part skip locked
    )
    update jobs
    set state = 'cancelled', finished_at = now(), lease_until = null, dispatch_until = null
    from orphans where jobs.id = orphans.id
    returning jobs.id, jobs.account_id, jobs.kind, jobs.state, jobs.payload, jobs.error,
    jobs.parent_id
    """


def cancel_orphans(tx: Tx, kinds: list[str], most: int) -> list[EndedJob]:
    return many(tx, EndedJob, ORPHANS, kinds=kinds, most=most)
