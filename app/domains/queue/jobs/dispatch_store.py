"""The jobs table as dispatchers see it: choosing, putting back, retiring."""

from dataclasses import dataclass
from uuid import UUID

from app.core.db import Reader, Tx, run, values


@dataclass(frozen=True, slots=True)
class DueJob:
    id: UUID
    kind: str
    attempt: int
    seconds_left: float
    """Until the deadline."""
    account_id: UUID
    yields: bool = False
    """Jobs of accounts that have less out may overtake it in Redis."""


@dataclass(frozen=True, slots=True)
class DispatchRound:
    """`room` is how many could have been chosen, `sent` how many were dispatched before."""

    jobs: list[DueJob]
    room: int
    sent: int
    paused: bool


NEWCOMERS = 2

# `case` hides its conditions from the planner: with stale statistics it would read them from the
# index over deadline_at, which is to say all unfinished jobs.
_READY = """
    queue = %(queue)s and state = 'queued' and not delayed
    and case when kind = any(%(kinds)s) then run_at <= now() and deadline_at > now() end
    """

# The index over what is due is a ring of accounts. It is walked by loose index scan from behind the
# account served last, until enough accounts are met that have nothing out: those who were served
# lately, and may have something out, come last. So the cost follows from the room, not from how
# many wait. A turn counts what the account has out and is given here before: whoever has least is
# next. Once as many idle accounts were met as there is room for, the first job of each is enough,
# and that was met on the way.
# While messages of others fill the room, a few jobs of accounts that have nothing out fit in still:
# they shall wait for a worker, not for room. Rows are then taken by arrays of ids: of a join with
# so many rows as there may be room for the planner would rather read the whole table.
CHOOSE = (
    """
    with recursive busy as materialized (
        select account_id, count(*) as jobs,
               count(*) filter (where state = 'dispatched') as dispatched
        from jobs where queue = %(queue)s and state in ('dispatched', 'running')
        group by account_id
    ), room as materialized (
        select sent, paused,
               case when paused then 0 else least(%(most)s, greatest(0, %(depth)s - sent)) end
                   as free
        from (select coalesce(sum(dispatched), 0)::int as sent from busy) as dispatched,
             (select exists (select from queues where name = %(queue)s and paused_at is not null)
                  as paused) as switch
    ), reach as materialized (
        select case when paused or sent = 0 then free
                    else greatest(free, least(%(most)s, %(newcomers)s)) end as jobs
        from room
    ), ring as (
        select %(after)s::uuid as account_id, 0::smallint as priority, null::uuid as id,
               0 as place, 0 as idle, false as wrapped
        union all
        select next.account_id, next.priority, next.id, ring.place + 1,
               ring.idle + case when next.account_id in (select account_id from busy)
                           then 0 else 1 end,
               next.wrapped
        from ring cross join lateral (
            (select account_id, priority, id, ring.wrapped from jobs
             where account_id > ring.account_id
               and (not ring.wrapped or account_id <= %(after)s) and"""  # noqa: S608
    + _READY
    + """order by account_id, priority, id limit 1)
            union all
            (select account_id, priority, id, true from jobs
             where not ring.wrapped and account_id <= %(after)s and"""
    + _READY
    + """order by account_id, priority, id limit 1)
            limit 1
        ) as next
        where ring.idle < (select jobs from reach)
    ), enough as materialized (
        select case when (select max(idle) from ring) >= free then 1 else free end as each from room
    ), own as (
        select account_id, priority, id, place from ring
        where place > 0 and (select each from enough) <= 1
        union all
        select ring.account_id, jobs.priority, jobs.id, ring.place
        from ring cross join lateral (
            select id, priority from jobs where account_id = ring.account_id and"""
    + _READY
    + """order by priority, id limit (select each from enough)
        ) as jobs
        where ring.place > 0 and (select each from enough) > 1
    ), ranked as (
        select own.id, own.place,
               coalesce(busy.jobs, 0) + row_number() over (
                   partition by account_id order by own.priority, own.id
               ) as turn
        from own left join busy using (account_id)
    ), picked as (
        select id, turn, place from (
            select *, row_number() over (order by turn, place) as nth from ranked
        ) as ordered
        where nth <= (select free from room)
           or turn = 1 and nth <= (select jobs from reach)
    ), locked as (
        select jobs.id from jobs
        where id = any(array(select id from picked))
          and case when state = 'queued' then not delayed end
        for update skip locked
    ), moved as (
        update jobs
        set state = 'dispatched', dispatch_until = now() + make_interval(secs => %(lost)s)
        where jobs.id = any(array(select id from locked))
        returning jobs.id, jobs.kind, jobs.attempt, jobs.account_id,
                  extract(epoch from deadline_at - now())::float as seconds_left
    )
    select free, sent, paused, moved.id, kind, attempt, seconds_left, account_id,
           turn > coalesce((select avg(jobs) from busy), 1) as yields
    from room left join (moved join picked using (id)) on true
    order by turn, place
    """
)


def choose(
    tx: Tx, queue: str, kinds: list[str], depth: int, most: int, lost_seconds: float, after: UUID
) -> DispatchRound:
    """Dispatch ready jobs of these kinds until `depth` are dispatched, fairly between accounts.

    In the order of their turns, which begins behind the account `after`; nothing of a queue that is
    paused. The partial index holds only what is out: counting is cheap.
    """
    wanted = {
        "queue": queue,
        "kinds": kinds,
        "depth": depth,
        "most": most,
        "lost": lost_seconds,
        "after": after,
        "newcomers": NEWCOMERS,
    }
    rows = tx.execute(CHOOSE, wanted).fetchall()
    (free, sent, paused, *_), *_ = rows
    chosen = [DueJob(*row[3:]) for row in rows if row[3] is not None]
    return DispatchRound(chosen, free, sent, paused)


# Row by row from the index over what is due: a join would read all that waits.
ACTIVE = """
    select asked.queue from unnest(%(queues)s::text[]) as asked (queue)
    where exists (select from queues where queues.name = asked.queue
                  and queues.paused_at is not null)
       or (select true from jobs
           where jobs.queue = asked.queue and jobs.state = 'queued' and not jobs.delayed
           order by jobs.account_id, jobs.priority, jobs.id limit 1)
    """


def active(reader: Reader, queues: list[str]) -> set[str]:
    """The queues in which a job waits that may be due, and those that are paused."""
    return set(values(reader, ACTIVE, queues=queues)) if queues else set()


# What is due and not yet among what dispatchers choose from.
WAKE = """
    with due as (
        select id from jobs where state = 'queued' and delayed and run_at <= now()
        order by run_at limit 1000 for update skip locked
    )
    update jobs set delayed = false from due where jobs.id = due.id
    """


def wake(tx: Tx) -> int:
    """Let retries and jobs of the future whose time has come be chosen; at most 1,000."""
    return run(tx, WAKE)


RECENT = """
    select kind, percentile_cont(0.95) within group (order by worked_seconds) as seconds
    from jobs where id = any(%(ids)s) and state = 'succeeded' and worked_seconds is not null
    group by kind having count(*) >= %(least)s
    """


def worked_seconds(reader: Reader, ids: list[UUID], least: int) -> dict[str, float]:
    """The time that nearly all of these jobs worked, of kinds with enough of them."""
    return dict(reader.execute(RECENT, {"ids": ids, "least": least}).fetchall())


PUT_BACK = """
    update jobs set state = 'queued', dispatch_until = null
    where id = any(%(ids)s) and state = 'dispatched'
    """


def put_back(tx: Tx, ids: list[UUID]) -> int:
    """Lets what could not be sent wait again."""
    return run(tx, PUT_BACK, ids=ids)


# Delayed: or the same worker might take it again at once, and again.
LEAVE = """
    update jobs set state = 'queued', dispatch_until = null, delayed = true,
        run_at = now() + make_interval(secs => %(seconds)s)
    where id = any(%(ids)s) and state = 'dispatched' and kind <> all(%(kinds)s)
    """


def leave(tx: Tx, ids: list[UUID], kinds: list[str], seconds: float) -> int:
    """Lets jobs of other kinds wait again, for so long."""
    return run(tx, LEAVE, ids=ids, kinds=kinds, seconds=seconds)


PUT_ALL_BACK = "update jobs set state = 'queued', dispatch_until = null where state = 'dispatched'"


def put_all_back(tx: Tx) -> int:
    """Redis lost its memory: every message is gone, every dispatched job waits again."""
    return run(tx, PUT_ALL_BACK)


# `union`, not `or`: both ways to a row are by an index. A job may have had a million parts:
# the youngest go first, so that no part stays behind, and the rest with the next step.
RETIRE = """
    with recursive old as (
        (select id from jobs
         where state in ('succeeded', 'failed', 'cancelled') and id < %(before)s
         order by id limit %(most)s)
        union
        select part.id from jobs part join old on part.parent_id = old.id
    ), batch as (
        select id from old order by id desc limit 10 * %(most)s
    )
    delete from jobs using batch where jobs.id = batch.id
    """


def retire(tx: Tx, before: UUID, most: int) -> int:
    """Delete finished jobs older than the UUIDv7 `before`, at most so many, with their parts.

    Of many parts some are left for the next step: ten times as many rows are deleted at most.
    """
    return run(tx, RETIRE, before=before, most=most)


BEAT = """
    insert into dispatchers (id, sleeping) values (%(id)s, %(sleeping)s)
    on conflict (id) do update set sleeping = excluded.sleeping, seen_at = now()
    """

FORGET = "delete from dispatchers where seen_at < now() - interval '1 minute'"

SIGN_OFF = "delete from dispatchers where id = %(id)s"

ALIVE = "select id from dispatchers where seen_at > now() - interval '15 seconds'"


def beat(tx: Tx, id: str, *, sleeping: bool) -> None:
    """Say that this dispatcher lives, and whether a submit must wake it."""
    run(tx, BEAT, id=id, sleeping=sleeping)


def forget_dead(tx: Tx) -> int:
    return run(tx, FORGET)


def sign_off(tx: Tx, id: str) -> None:
    """This dispatcher stops: nobody waits for it."""
    run(tx, SIGN_OFF, id=id)


def alive(reader: Reader) -> list[str]:
    """Dispatchers heard of in the last 15 seconds."""
    return values(reader, ALIVE)
