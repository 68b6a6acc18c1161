"""Load of the queues now, at a cost that does not follow from how much waits.

Up to COUNTED jobs of a queue are counted here and now. Where the last sample counted as many, which
dispatchers take in their own time, it says how many are ready, and the next ENOUGH of them say that
this holds still.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.core.db import Reader, many

COUNTED: Final = 1_000
ENOUGH: Final = 100


@dataclass(frozen=True, slots=True)
class Load:
    """The load of a queue: jobs by state, and for how many seconds the oldest could have begun.

    `ready` and `due` wait for a dispatcher; `due` were delayed until now. `parents` wait for their
    parts.
    """

    queue: str
    ready: int
    ready_seconds: float
    due: int
    due_seconds: float
    dispatched: int
    dispatched_seconds: float
    running: int
    running_seconds: float
    parents: int
    parents_seconds: float
    sampled_at: datetime | None
    """Of the sample that says how many are ready; None: they were counted."""

    @property
    def waiting(self) -> int:
        """The number of jobs that could begin now."""
        return self.ready + self.due + self.dispatched

    @property
    def oldest_seconds(self) -> float:
        """The time for which the oldest of them has waited."""
        return max(self.ready_seconds, self.due_seconds, self.dispatched_seconds)


# In the order of an index: with stale statistics the planner would read the whole table for a few
# rows that it takes to be anywhere. Names of queues that no dispatcher knows yet are met by walking
# from one to the next. The numbers are COUNTED and ENOUGH: without parameters it is planned once,
# and not each time, which took most of its time.
LOADS = """
    with recursive ready_in (queue) as (
        (select queue from jobs where state = 'queued' and not delayed order by queue limit 1)
        union all
        select next.queue from ready_in cross join lateral (
            select queue from jobs
            where state = 'queued' and not delayed and queue > ready_in.queue
            order by queue limit 1
        ) as next
    ), names (name) as (
        select name from queues union select queue from ready_in
    ), due as (
        select queue, count(*) as jobs, min(run_at) as since
        from (
            select queue, run_at from jobs where state = 'queued' and delayed and run_at <= now()
            order by run_at limit 1000
        ) as counted group by queue
    ), parents as (
        select queue, count(*) as jobs, min(run_at) as since
        from (
            select queue, run_at from jobs where state = 'waiting' order by run_at limit 1000
        ) as counted group by queue
    )
    select names.name as queue,
           greatest(ready.jobs, said.waiting - taken.dispatched - coalesce(due.jobs, 0))::int
               as ready,
           greatest(extract(epoch from now() - ready.since), said.oldest_seconds, 0)::float
               as ready_seconds,
           coalesce(due.jobs, 0)::int as due,
           coalesce(extract(epoch from now() - due.since), 0)::float as due_seconds,
           taken.dispatched::int,
           coalesce(extract(epoch from now() - taken.dispatched_since), 0)::float
               as dispatched_seconds,
           taken.running::int,
           coalesce(extract(epoch from now() - taken.running_since), 0)::float as running_seconds,
           coalesce(parents.jobs, 0)::int as parents,
           coalesce(greatest(extract(epoch from now() - parents.since), 0), 0)::float
               as parents_seconds,
           said.at as sampled_at
    from names left join lateral (
        select at, waiting, oldest_seconds from queue_samples
        where step_seconds = 10 and queue = names.name and at > now() - interval '2 minutes'
        order by at desc limit 1
    ) as sampled on sampled.waiting >= 1000
    cross join lateral (
        select count(*) as jobs, min(run_at) as since from (
            select run_at from jobs
            where queue = names.name and state = 'queued' and not delayed
            order by account_id, priority, id
            limit case when sampled.at is null then 1000 else 100 end
        ) as counted
    ) as ready
    left join lateral (select sampled.*) as said on ready.jobs >= 100
    cross join lateral (
        select count(*) filter (where state = 'dispatched') as dispatched,
               min(run_at) filter (where state = 'dispatched') as dispatched_since,
               count(*) filter (where state = 'running') as running,
               min(run_at) filter (where state = 'running') as running_since
        from (
            select state, run_at from jobs
            where queue = names.name and state in ('dispatched', 'running')
            order by account_id limit 1000
        ) as counted
    ) as taken
    left join due on due.queue = names.name
    left join parents on parents.queue = names.name
    order by queue
    """


def loads(reader: Reader) -> list[Load]:
    """Every queue that dispatchers know, or that has something for them, by name."""
    return many(reader, Load, LOADS)


LATER = """
    select queue, count(*)::int from (
        select queue from jobs where state = 'queued' and delayed and run_at > now()
        order by run_at limit 1000
    ) as counted group by queue
    """


def later(reader: Reader) -> dict[str, int]:
    """Jobs whose time has not come, by queue: up to COUNTED in all."""
    return dict(reader.execute(LATER).fetchall())


READY = """
    select count(*)::int, greatest(extract(epoch from now() - min(run_at)), 0)::float from (
        select run_at from jobs
        where queue = %(queue)s and state = 'queued' and not delayed
        order by account_id, priority, id limit %(most)s
    ) as counted
    """


def counted(reader: Reader, load: Load, most: int) -> Load:
    """The load with its ready jobs counted here and now, up to `most`: some .3 us each."""
    (row,) = reader.execute(READY, {"queue": load.queue, "most": most}).fetchall()
    return replace(load, ready=row[0], ready_seconds=row[1] or 0.0, sampled_at=None)
