"""Load of the queues now, at a cost that does not follow from how much waits.

Up to COUNTED jobs of a queue are counted here and now. Of a queue with more the last sample says
how many wait, which dispatchers take in their own time.
"""

from dataclasses import dataclass
from typing import Final

from app.core.db import Reader, many

COUNTED: Final = 1_000


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
    delayed: int
    parents: int
    parents_seconds: float

    @property
    def waiting(self) -> int:
        """The number of jobs that could begin now."""
        return self.ready + self.due + self.dispatched

    @property
    def oldest_seconds(self) -> float:
        """The time for which the oldest of them has waited."""
        return max(self.ready_seconds, self.due_seconds, self.dispatched_seconds)


# In the order of an index: with stale statistics the planner would read the whole table for a few
# rows that it takes to be anywhere. Names of queues are met by walking from one to the next.
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
    ), delayed as (
        select queue, count(*) filter (where run_at > now()) as later,
               count(*) filter (where run_at <= now()) as due, min(run_at) as since
        from (
            select queue, run_at from jobs where state = 'queued' and delayed
            order by run_at limit %(most)s
        ) as counted group by queue
    ), parents as (
        select queue, count(*) as jobs, min(run_at) as since
        from (
            select queue, run_at from jobs where state = 'waiting' order by run_at limit %(most)s
        ) as counted group by queue
    )
    select names.name as queue,
           greatest(ready.jobs, sampled.waiting - taken.dispatched - coalesce(delayed.due, 0))::int
               as ready,
           greatest(extract(epoch from now() - ready.since), sampled.oldest_seconds, 0)::float
               as ready_seconds,
           coalesce(delayed.due, 0)::int as due,
           coalesce(greatest(extract(epoch from now() - delayed.since), 0), 0)::float
               as due_seconds,
           taken.dispatched::int,
           coalesce(extract(epoch from now() - taken.dispatched_since), 0)::float
               as dispatched_seconds,
           taken.running::int,
           coalesce(extract(epoch from now() - taken.running_since), 0)::float as running_seconds,
           coalesce(delayed.later, 0)::int as delayed,
           coalesce(parents.jobs, 0)::int as parents,
           coalesce(greatest(extract(epoch from now() - parents.since), 0), 0)::float
               as parents_seconds
    from names cross join lateral (
        select count(*) as jobs, min(run_at) as since from (
            select run_at from jobs
            where queue = names.name and state = 'queued' and not delayed
            order by account_id, priority, id limit %(most)s
        ) as counted
    ) as ready cross join lateral (
        select count(*) filter (where state = 'dispatched') as dispatched,
               min(run_at) filter (where state = 'dispatched') as dispatched_since,
               count(*) filter (where state = 'running') as running,
               min(run_at) filter (where state = 'running') as running_since
        from (
            select state, run_at from jobs
            where queue = names.name and state in ('dispatched', 'running')
            order by account_id limit %(most)s
        ) as counted
    ) as taken
    left join delayed on delayed.queue = names.name
    left join parents on parents.queue = names.name
    left join lateral (
        select waiting, oldest_seconds from queue_samples
        where step_seconds = 10 and queue = names.name and at > now() - interval '2 minutes'
        order by at desc limit 1
    ) as sampled on ready.jobs >= %(most)s
    order by queue
    """


def loads(reader: Reader, most: int = COUNTED) -> list[Load]:
    """Every queue that dispatchers know, or that has something for them, by name."""
    return many(reader, Load, LOADS, most=most)
