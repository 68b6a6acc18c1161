"""The jobs table as dispatchers see it: choosing, giving up for lost, sweeping, retiring."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Tx, many, run, values
from app.domains.jobs.kinds import Ended


@dataclass(frozen=True, slots=True)
class Chosen:
    id: UUID
    kind: str
    attempt: int
    seconds_left: float
    """Until the deadline."""


# Accounts by a loose index scan, each account's first rows beside it, then round robin by rank:
# a thousand jobs of one account do not make another account's single job wait.
CHOOSE = """
    with recursive room as materialized (
        select greatest(0, %(depth)s - count(*)) as free
        from jobs where state = 'dispatched' and queue = %(queue)s
    ), waiting as (
        (select account_id from jobs where state = 'queued' and queue = %(queue)s
         order by account_id limit 1)
        union all
        select (select next.account_id from jobs next
                where next.state = 'queued' and next.queue = %(queue)s
                  and next.account_id > waiting.account_id
                order by next.account_id limit 1)
        from waiting where waiting.account_id is not null
    ), ranked as (
        select own.id, own.priority,
               row_number() over (partition by waiting.account_id
                                  order by own.priority, own.id) as turn
        from waiting cross join lateral (
            select id, priority from jobs
            where state = 'queued' and queue = %(queue)s
              and account_id = waiting.account_id and kind = any(%(kinds)s) and run_at <= now()
            order by priority, id limit (select free from room)
        ) as own
        where waiting.account_id is not null
    ), picked as (
        select id from ranked order by turn, priority, id limit (select free from room)
    ), locked as (
        select jobs.id from jobs join picked using (id)
        where state = 'queued' for update of jobs skip locked
    ), moved as (
        update jobs
        set state = 'dispatched', dispatch_until = now() + make_interval(secs => %(lost)s)
        from locked where jobs.id = locked.id
        returning jobs.id, jobs.kind, jobs.attempt,
                  extract(epoch from deadline_at - now())::float as seconds_left
    )
    select free, id, kind, attempt, seconds_left from room left join moved on true
    """


def choose(
    tx: Tx, queue: str, kinds: list[str], depth: int, lost_seconds: float
) -> tuple[list[Chosen], int]:
    """Dispatch ready jobs of these kinds until `depth` are out, fairly between accounts.

    Also how many there was room for. The partial index holds only what is out: counting is cheap.
    """
    asked = {"queue": queue, "kinds": kinds, "depth": depth, "lost": lost_seconds}
    rows = tx.execute(CHOOSE, asked).fetchall()
    return [Chosen(*row[1:]) for row in rows if row[1] is not None], int(rows[0][0])


RECENT = """
    select kind, percentile_cont(0.95) within group (order by worked_seconds) as seconds
    from jobs where id = any(%(ids)s) and state = 'succeeded' and worked_seconds is not null
    group by kind having count(*) >= %(least)s
    """


def worked_seconds(tx: Tx, ids: list[UUID], least: int) -> dict[str, float]:
    """How long nearly all of these jobs worked, of kinds with enough of them."""
    return dict(tx.execute(RECENT, {"ids": ids, "least": least}).fetchall())


PUT_BACK = """
    update jobs set state = 'queued', dispatch_until = null
    where id = any(%(ids)s) and state = 'dispatched'
    """


def put_back(tx: Tx, ids: list[UUID]) -> int:
    return run(tx, PUT_BACK, ids=ids)


PUT_ALL_BACK = "update jobs set state = 'queued', dispatch_until = null where state = 'dispatched'"


def put_all_back(tx: Tx) -> int:
    return run(tx, PUT_ALL_BACK)


LOST_MESSAGES = """
    with lost as (
        select id from jobs where state = 'dispatched' and dispatch_until < now()
        limit 500 for update skip locked
    )
    update jobs set state = 'queued', dispatch_until = null from lost where jobs.id = lost.id
    """


def sweep_messages(tx: Tx) -> int:
    return run(tx, LOST_MESSAGES)


# A worker that died: the job goes back, or ends when its attempts are used up.
LOST_LEASES = """
    with lost as (
        select id, attempt, worker, started_at from jobs
        where state = 'running' and lease_until < now() and kind = any(%(kinds)s)
        limit 500 for update skip locked
    ), history as (
        insert into job_attempts (job_id, attempt, worker, started_at, outcome)
        select id, attempt, worker, started_at, 'lost' from lost on conflict do nothing
    )
    update jobs
    set state = case when jobs.attempt >= max_attempts then 'failed' else 'queued' end,
        finished_at = case when jobs.attempt >= max_attempts then now() end,
        error = case when jobs.attempt >= max_attempts then %(error)s else jobs.error end,
        run_at = now(), lease_until = null
    from lost where jobs.id = lost.id
    returning jobs.id, account_id, kind, state, payload, error
    """


def sweep_leases(tx: Tx, kinds: list[str], error: dict[str, Any]) -> list[Ended]:
    """Take jobs from silent workers; returns them with the state they are in now."""
    return many(tx, Ended, LOST_LEASES, kinds=kinds, error=Jsonb(error))


PAST_DEADLINE = """
    with overdue as (
        select id, attempt, worker, started_at, state as was from jobs
        where state in ('pending', 'queued', 'dispatched', 'running') and deadline_at < now()
          and kind = any(%(kinds)s)
        limit 500 for update skip locked
    ), history as (
        insert into job_attempts (job_id, attempt, worker, started_at, outcome, error)
        select id, attempt, worker, started_at, 'overdue', %(error)s from overdue
        where was = 'running' on conflict do nothing
    )
    update jobs
    set state = 'failed', finished_at = now(), lease_until = null, dispatch_until = null,
        error = %(error)s
    from overdue where jobs.id = overdue.id
    returning jobs.id, account_id, kind, state, payload, error
    """


def sweep_deadlines(tx: Tx, kinds: list[str], error: dict[str, Any]) -> list[Ended]:
    return many(tx, Ended, PAST_DEADLINE, kinds=kinds, error=Jsonb(error))


RELEASE = """
    with given as (
        select id, attempt, worker, started_at from jobs
        where state = 'running' and starts_with(worker, %(host)s) for update
    ), history as (
        insert into job_attempts (job_id, attempt, worker, started_at, outcome)
        select id, attempt, worker, started_at, 'released' from given on conflict do nothing
    )
    update jobs
    set state = 'queued', run_at = now(), lease_until = null,
        max_attempts = max_attempts + 1     -- a deploy is not the job's failure
    from given where jobs.id = given.id
    """


def release(tx: Tx, host: str) -> int:
    """Give back at once whatever workers named `host...` still hold: a deploy costs no lease."""
    return run(tx, RELEASE, host=host)


RETIRE = """
    with old as (
        select id from jobs
        where state in ('succeeded', 'failed', 'cancelled') and id < %(before)s
        order by id limit %(most)s
    )
    delete from jobs using old where jobs.id = old.id
    """


def retire(tx: Tx, before: UUID, most: int) -> int:
    """Delete finished jobs older than the UUIDv7 `before`, at most so many."""
    return run(tx, RETIRE, before=before, most=most)


BEAT = """
    insert into dispatchers (id, sleeping) values (%(id)s, %(sleeping)s)
    on conflict (id) do update set sleeping = excluded.sleeping, seen_at = now()
    """

FORGET = "delete from dispatchers where seen_at < now() - interval '1 minute'"

ALIVE = "select id from dispatchers where seen_at > now() - interval '15 seconds'"


def beat(tx: Tx, id: str, *, sleeping: bool) -> None:
    run(tx, BEAT, id=id, sleeping=sleeping)


def forget_dead(tx: Tx) -> int:
    return run(tx, FORGET)


def alive(tx: Tx) -> list[str]:
    return list(values(tx, ALIVE))


@dataclass(frozen=True, slots=True)
class Depth:
    queue: str
    state: str
    jobs: int
    oldest_seconds: float


DEPTHS = """
    select queue, state, count(*) as jobs,
           extract(epoch from now() - min(run_at))::float as oldest_seconds
    from jobs where state in ('queued', 'dispatched', 'running') group by queue, state
    """


def depths(tx: Tx) -> list[Depth]:
    """Unfinished jobs by queue and state, with the age of the oldest."""
    return many(tx, Depth, DEPTHS)
