"""Databases with so many jobs that wait, that begin later and that are done, and draining them."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.domains.queue.jobs.operations.queues import queue_store
from app.domains.search.searches import service as searches
from bench.machine import Machine

FILL = """
    with made as (
        insert into jobs (
            id, account_id, queue, kind, state, attempt, max_attempts, payload, worker, run_at,
            delayed, deadline_at, started_at, finished_at, worked_seconds
        )
        select uuidv7(), (%(accounts)s::uuid[])[1 + n %% cardinality(%(accounts)s::uuid[])],
               %(queue)s, %(kind)s, %(state)s, %(done)s::int, 4, '{}', 'w',
               now() + case when %(later)s then n %% 36000 * interval '1 s' + interval '1 hour'
                       else interval '0 s' end,
               %(later)s, now() + interval '12 hours',
               case when %(done)s then now() end, case when %(done)s then now() end,
               case when %(done)s then 0.1 end
        from generate_series(1, %(rows)s) as n
        returning id, account_id
    )
    insert into searches (id, account_id, query, options, expires_at)
    select id, account_id, 'q', '{}', now() + interval '30 days' from made
    """
BATCH = """
    create temporary table batch as
    select id from jobs where state = 'queued' and not delayed order by id limit %(most)s
    """
# The three versions that each job leaves behind.
LIFE = (
    "update jobs set state = 'dispatched', dispatch_until = now() from batch"
    " where jobs.id = batch.id",
    "update jobs set state = 'running', attempt = 1, worker = 'w', started_at = now(),"
    " lease_until = now() from batch where jobs.id = batch.id",
    "update jobs set state = 'succeeded', finished_at = now(), lease_until = null,"
    " worked_seconds = 0.1 from batch where jobs.id = batch.id",
)
SIZES = """
    select pg_table_size(oid) as table_bytes, pg_indexes_size(oid) as index_bytes,
           reltuples as rows
    from pg_class where oid = %(table)s::regclass
    """


@dataclass(frozen=True, slots=True)
class Filling:
    """How many jobs of each sort, and of how many accounts."""

    waiting: int
    later: int
    done: int
    accounts: int


@dataclass(frozen=True, slots=True)
class Size:
    table_bytes: int
    index_bytes: int
    rows: float


@dataclass(frozen=True, slots=True)
class Database:
    """Two connections, with the settings of the two pools of a process."""

    name: str
    tx: Tx
    forgetful: Tx
    accounts: Sequence[UUID]

    def close(self) -> None:
        self.tx.close()
        self.forgetful.close()


def prepare(servers: Machine, name: str, filling: Filling) -> Database:
    """As autovacuum leaves it."""
    url = servers.database(name)
    tx, forgetful = (
        Tx.connect(db.conninfo(url, 3600, **options), autocommit=True, prepare_threshold=2)
        for options in ({}, db.FORGETFUL)
    )
    made = Database(name, tx, forgetful, [ids.new() for _ in range(filling.accounts)])
    tx.execute("set synchronous_commit = off")
    queue_store.establish(tx, [searches.KIND.queue])
    _fill(made, filling.done, done=True)
    _fill(made, filling.waiting)
    _fill(made, filling.later, later=True)
    vacuum(made)
    return made


def _fill(made: Database, rows: int, *, done: bool = False, later: bool = False) -> None:
    db.run(
        made.tx,
        FILL,
        accounts=list(made.accounts),
        queue=searches.KIND.queue,
        kind=searches.KIND.name,
        state="succeeded" if done else "queued",
        done=done,
        later=later,
        rows=rows,
    )


def drain(made: Database, batch: int = 100_000) -> None:
    """Let everything that waits have been done, with all the dead rows that this leaves."""
    while True:
        with made.tx.transaction():
            if not db.run(made.tx, BATCH, most=batch):
                made.tx.execute("drop table batch")
                return
            made.tx.execute("analyze batch")
            for step in LIFE:
                made.tx.execute(step)
            made.tx.execute("drop table batch")


def vacuum(made: Database) -> None:
    """As autovacuum does, which comes later: it marks no page whose rows are not yet on disk."""
    made.tx.execute("set synchronous_commit = on")
    made.tx.execute("select pg_current_xact_id()")
    made.tx.execute("set synchronous_commit = off")
    made.tx.execute("vacuum analyze jobs")
    made.tx.execute("vacuum analyze searches")


def size(made: Database, table: str) -> Size:
    return db.one(made.tx, Size, SIZES, table=table)
