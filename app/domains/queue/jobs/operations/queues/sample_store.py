"""The queue_samples table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.core import ids
from app.core.db import Reader, Tx, many, run, value, values
from app.domains.queue.jobs.admission.load_store import ENOUGH, Load

FINE_SECONDS, COARSE_SECONDS = 10, 300

# Two seconds later all that ended in the step has been committed.
DUE = """
    select last_end from (
        select date_bin('10 seconds', now() - interval '2 seconds', 'epoch') as last_end
    ) as step
    where not exists (
        select from queue_samples where step_seconds = 10 and at = last_end
    ) and pg_try_advisory_xact_lock(hashtextextended('queue_samples', 0))
    """


def due(tx: Tx) -> datetime | None:
    """The end of the last step, if it has no samples and nobody else is taking them."""
    end: datetime | None = value(tx, DUE)
    return end


# Of a queue that was not counted now `waiting` is that of the step before: what came in the step is
# added, and what ended or began to run is taken off.
INSERT = """
    with load as (
        select queue, waiting, running, oldest_seconds, counted
        from unnest(%(queues)s::text[], %(waiting)s::int[], %(running)s::int[], %(oldest)s::real[],
                    %(counted)s::bool[])
            as load (queue, waiting, running, oldest_seconds, counted)
    ), ended as (
        select queue, count(*)::int as jobs,
               count(*) filter (where state = 'succeeded') as finished,
               count(*) filter (where state = 'failed') as failed
        from jobs
        where finished_at >= %(at)s - interval '10 seconds' and finished_at < %(at)s
        group by queue
    ), manned as (
        select queue, count(*) as workers from workers, unnest(workers.queues) as queue
        where workers.seen_at > now() - interval '15 seconds'
        and workers.drain_at is null group by queue
    ), before as (
        select queue, running from queue_samples
        where step_seconds = 10 and at = %(at)s - interval '10 seconds'
    )
    insert into queue_samples (
        step_seconds, at, queue, waiting, running, oldest_seconds, finished, failed, workers
    )
    select 10, %(at)s, queue,
           case when load.counted then load.waiting
                else greatest(%(least)s, load.waiting - load.running + before.running
                     - coalesce(ended.jobs, 0) + (
                         select count(*) from jobs
                         where jobs.id >= %(first)s and jobs.id < %(last)s
                           and jobs.queue = load.queue and not jobs.delayed
                           and jobs.state <> 'pending'
                     )) end,
           load.running, load.oldest_seconds, coalesce(ended.finished, 0),
           coalesce(ended.failed, 0), coalesce(manned.workers, 0)
    from load left join ended using (queue) left join manned using (queue)
    left join before using (queue)
    on conflict do nothing
    """


def insert(tx: Tx, at: datetime, loads: Sequence[Load]) -> int:
    """Loads that were not counted are of the step before."""
    return run(
        tx,
        INSERT,
        at=at,
        first=ids.first_of(at - timedelta(seconds=FINE_SECONDS)),
        last=ids.first_of(at),
        least=ENOUGH,
        queues=[load.queue for load in loads],
        waiting=[load.waiting for load in loads],
        running=[load.running for load in loads],
        oldest=[load.oldest_seconds for load in loads],
        counted=[load.sampled_at is None for load in loads],
    )


# Peaks are kept: a mean of five minutes would hide them.
MERGE = """
    insert into queue_samples (
        step_seconds, at, queue, waiting, running, oldest_seconds, finished, failed, workers
    )
    select 300, date_bin('5 minutes', at - interval '1 second', 'epoch') + interval '5 minutes',
           queue, max(waiting), max(running), max(oldest_seconds), sum(finished), sum(failed),
           min(workers)
    from queue_samples
    where step_seconds = 10 and at <= date_bin('5 minutes', %(at)s, 'epoch') and at > coalesce(
        (select max(at) from queue_samples where step_seconds = 300), '-infinity')
    group by 2, queue
    on conflict do nothing
    """


def merge(tx: Tx, at: datetime) -> int:
    """Samples of whole five minutes that ended before `at` and have none yet."""
    return run(tx, MERGE, at=at)


FORGET = """
    with old as (
        select step_seconds, at, queue from queue_samples
        where step_seconds = 10 and at < now() - interval '1 day'
           or step_seconds = 300 and at < now() - interval '30 days'
        limit %(most)s for update skip locked
    )
    delete from queue_samples using old
    where queue_samples.step_seconds = old.step_seconds and queue_samples.at = old.at
      and queue_samples.queue = old.queue
    """


def forget(tx: Tx, most: int) -> int:
    """Delete samples past their time, `most` at a time; returns how many."""
    return run(tx, FORGET, most=most)


@dataclass(frozen=True, slots=True)
class Recent:
    """The last minutes of a queue; as it stands here, of one that has no sample yet."""

    queue: str
    waiting_before: int | None = None
    active_at: datetime | None = None
    """The last step in which something ran or ended."""
    ended_in_minute: int = 0
    ended: int = 0
    running: float = 0.0
    """On average."""
    covered_seconds: int = 10


RECENT = """
    select queue,
           (array_agg(waiting order by at) filter (
               where at between now() - make_interval(secs => %(growth)s + 30)
                            and now() - make_interval(secs => %(growth)s - 30)))[1]
               as waiting_before,
           max(at) filter (where running > 0 or finished + failed > 0) as active_at,
           coalesce(sum(finished + failed) filter (where at > now() - interval '1 minute'), 0)::int
               as ended_in_minute,
           sum(finished + failed)::int as ended,
           avg(running)::float as running,
           (count(*) * 10)::int as covered_seconds
    from queue_samples
    where step_seconds = 10 and at > now() - make_interval(secs => %(growth)s + 30)
    group by queue
    """


def recent(reader: Reader, growth_seconds: int) -> list[Recent]:
    return many(reader, Recent, RECENT, growth=growth_seconds)


@dataclass(frozen=True, slots=True)
class QueueSample:
    """A step of a window; None throughout where nothing was sampled."""

    at: datetime
    waiting: int | None
    running: int | None
    oldest_seconds: float | None
    finished: int | None
    failed: int | None
    workers: int | None


WINDOW = """
    with step as (
        select make_interval(secs => %(step)s) as long,
               date_bin(make_interval(secs => %(step)s), now(), 'epoch') as last_end
    ), grid as (
        select generate_series(
            last_end - make_interval(secs => %(window)s) + long, last_end, long) as at
        from step
    ), sampled as (
        select date_bin(long, queue_samples.at - interval '1 second', 'epoch') + long as at,
               max(queue_samples.waiting) as waiting, max(queue_samples.running) as running,
               max(queue_samples.oldest_seconds)::float as oldest_seconds,
               sum(queue_samples.finished)::int as finished,
               sum(queue_samples.failed)::int as failed, min(queue_samples.workers) as workers
        from queue_samples, step
        where queue_samples.step_seconds = %(source)s and queue_samples.queue = %(queue)s
          and queue_samples.at > last_end - make_interval(secs => %(window)s)
        group by 1
    )
    select grid.at, waiting, running, oldest_seconds, finished, failed, workers
    from grid left join sampled using (at) order by at
    """


SAMPLED = """
    select distinct queue from queue_samples
    where step_seconds = %(source)s and at > now() - make_interval(secs => %(window)s)
    order by queue
    """


def sampled(reader: Reader, seconds: int, step: int) -> list[str]:
    return values(reader, SAMPLED, source=_source(step), window=seconds)


def _source(step: int) -> int:
    return COARSE_SECONDS if step >= COARSE_SECONDS else FINE_SECONDS


def window(reader: Reader, queue: str, seconds: int, step: int) -> list[QueueSample]:
    return many(
        reader, QueueSample, WINDOW, queue=queue, window=seconds, step=step, source=_source(step)
    )
