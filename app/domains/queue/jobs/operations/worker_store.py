"""The workers table."""

from dataclasses import asdict, dataclass
from datetime import datetime

from app.core.db import Reader, Tx, first, many, run, value


@dataclass(frozen=True, slots=True)
class Beat:
    """The beat of a worker, sent every few seconds. `id` begins the names of its processes."""

    id: str
    name: str
    queues: list[str]
    places: int
    version: str
    memory_bytes: int | None = None


BEAT = """
    insert into workers (id, name, queues, places, version, memory_bytes)
    values (%(id)s, %(name)s, %(queues)s, %(places)s, %(version)s, %(memory_bytes)s)
    on conflict (id) do update
    set seen_at = now(), queues = excluded.queues, places = excluded.places,
        memory_bytes = coalesce(excluded.memory_bytes, workers.memory_bytes)
    returning drain_at is not null
    """


def beat(tx: Tx, said: Beat) -> bool:
    """Keep what a worker says. True: it is to take nothing new."""
    return bool(value(tx, BEAT, **asdict(said)))


STOPPED = "update workers set stopped_at = coalesce(stopped_at, now()) where id = %(id)s"

LEFT = "delete from workers where id = %(id)s"


def stopped(tx: Tx, id: str) -> None:
    """The worker takes nothing new any more."""
    run(tx, STOPPED, id=id)


def left(tx: Tx, id: str) -> None:
    run(tx, LEFT, id=id)


@dataclass(frozen=True, slots=True)
class Worker:
    """`busy` is how many of its `places` hold a job."""

    id: str
    name: str
    queues: list[str]
    places: int
    busy: int
    version: str
    memory_bytes: int | None
    started_at: datetime
    seen_at: datetime
    silent_seconds: float
    drain_at: datetime | None
    stopped_at: datetime | None


# `worker` of a job is `host:parent:process`; an id here is `host:parent`.
_COLUMNS = """
    with held as (
        select regexp_replace(worker, ':[^:]*$', '') as id, count(*)::int as jobs
        from jobs where state = 'running' and worker is not null group by 1
    )
    select id, workers.name, workers.queues, workers.places, coalesce(jobs, 0) as busy,
    workers.version, workers.memory_bytes,
           workers.started_at, workers.seen_at,
           greatest(0, extract(epoch from now() - workers.seen_at))::float as silent_seconds,
           workers.drain_at, workers.stopped_at
    from workers left join held using (id)
    """

EVERY = _COLUMNS + "order by workers.name, workers.started_at, id"
BY_ID = _COLUMNS + "where id = %(id)s"


def every(reader: Reader) -> list[Worker]:
    return many(reader, Worker, EVERY)


def by_id(reader: Reader, id: str) -> Worker | None:
    return first(reader, Worker, BY_ID, id=id)


DRAIN = "update workers set drain_at = now() where id = %(id)s and drain_at is null"

FORGET = """
    delete from workers
    where id = %(id)s and seen_at < now() - make_interval(secs => %(gone_seconds)s)
    """

FORGET_OLD = "delete from workers where seen_at < now() - interval '7 days'"


def drain(tx: Tx, id: str) -> bool:
    return run(tx, DRAIN, id=id) == 1


def forget(tx: Tx, id: str, gone_seconds: float) -> bool:
    return run(tx, FORGET, id=id, gone_seconds=gone_seconds) == 1


def forget_old(tx: Tx) -> int:
    """Delete workers that were not seen for a week; returns how many."""
    return run(tx, FORGET_OLD)
