"""The jobs table as admission sees it: what waits, of how many accounts, and what has begun."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.core.db import Tx, one, value

# In the order of the index over what waits: with stale statistics the planner would read the whole
# table for the few that it expects.
WAITING = """
    select count(*) from (
        select from jobs where state = 'queued' and not delayed and queue = %(queue)s
        order by account_id, priority, id limit %(most)s
    ) as waiting
    """

OWN_WAITING = """
    select count(*) from (
        select from jobs
        where state = 'queued' and not delayed and queue = %(queue)s
          and account_id = %(account_id)s
        order by priority, id limit %(most)s
    ) as waiting
    """


def waiting(tx: Tx, queue: str, most: int) -> int:
    """Jobs of a queue that wait for a worker, counted up to `most`."""
    return int(value(tx, WAITING, queue=queue, most=most))


def own_waiting(tx: Tx, queue: str, account_id: UUID, most: int) -> int:
    """Counts the waiting jobs of one account, up to `most`."""
    return int(value(tx, OWN_WAITING, queue=queue, account_id=account_id, most=most))


# A loose index scan: the cost follows from the accounts, not from the jobs.
ACCOUNTS_WAITING = """
    with recursive ring as (
        (select account_id, 1 as place from jobs
         where state = 'queued' and not delayed and queue = %(queue)s
         order by account_id limit 1)
        union all
        (select next.account_id, ring.place + 1 from ring cross join lateral (
             select account_id from jobs
             where state = 'queued' and not delayed and queue = %(queue)s
               and account_id > ring.account_id
             order by account_id limit 1) as next
         where ring.place < %(most)s)
    )
    select count(*) from ring
    """


def accounts_waiting(tx: Tx, queue: str, most: int) -> int:
    """Accounts with a job that waits for a worker, counted up to `most`."""
    return int(value(tx, ACCOUNTS_WAITING, queue=queue, most=most))


REMAINING = """
    select count(*) from (
        select from jobs
        where state = 'queued' and not delayed and queue = %(queue)s and id <= %(id)s
        order by account_id, priority, id limit %(most)s
    ) as remaining
    """


def remaining(tx: Tx, queue: str, id: UUID, most: int) -> int:
    """Counts the jobs up to `id` that wait still, up to `most`."""
    return int(value(tx, REMAINING, queue=queue, id=id, most=most))


BEGUN_SINCE = """
    select count(*) from (
        select from jobs
        where id > %(id)s and queue = %(queue)s and started_at is not null
        order by id limit %(most)s
    ) as later
    """


def begun_since(tx: Tx, queue: str, id: UUID, most: int) -> int:
    """Counts the jobs later than `id` that have begun, up to `most`."""
    return int(value(tx, BEGUN_SINCE, queue=queue, id=id, most=most))


@dataclass(frozen=True, slots=True)
class Look:
    """A queue by its last samples and by what waits now. `at` is None when there are no samples."""

    at: datetime | None
    age_seconds: float
    waiting: int
    per_second: float | None
    """Jobs that ended while work waited; None when none of it waited long enough to tell."""
    counted: int
    """Jobs that wait now, up to COUNTED; up to ENOUGH where the last sample counted as many."""


# A step says how fast a queue drains when workers had something to do throughout: something waited
# when it began, and what waits at its end has waited for longer than it lasted. What ended without
# a worker missed its deadline, which is no draining.
LOOK = """
    with lately as (
        select at, waiting,
               case when workers > 0 then finished + failed else 0 end as ended,
               oldest_seconds >= 10
                   and lag(waiting) over (order by at) > 0
                   and lag(at) over (order by at) = at - interval '10 seconds' as busy
        from queue_samples
        where step_seconds = 10 and queue = %(queue)s
          and at > now() - make_interval(secs => %(window)s + 20)
    ), sampled as (
        select max(at) as at,
               coalesce(extract(epoch from now() - max(at)), 0)::float as age_seconds,
               coalesce((array_agg(waiting order by at desc))[1], 0) as waiting,
               (sum(ended) filter (where busy) + 1)::float
                   / nullif(10 * count(*) filter (where busy), 0) as per_second
        from lately
    )
    select sampled.*, (
        select count(*) from (
            select from jobs where state = 'queued' and not delayed and queue = %(queue)s
            order by account_id, priority, id
            limit case when sampled.waiting >= 1000 then 100 else 1000 end
        ) as waiting
    ) as counted
    from sampled
    """


def look(tx: Tx, queue: str, window_seconds: float) -> Look:
    """The rate is the mean of the last `window_seconds`. One more job may be about to end."""
    return one(tx, Look, LOOK, queue=queue, window=window_seconds)
