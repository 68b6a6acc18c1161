"""Long work for these tests: a parent over rows, and lanes that leave one record for each row."""

from collections.abc import Callable, Generator, Iterator
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.kinds import EndedJob, EndedPart
from app.domains.queue.jobs.parts import Wait, lanes_wanted
from tests.databases import become_owner
from tests.integration.jobs import rows
from workers.queue.attempt import Attempt
from workers.records.lanes.slices import run_lane

LANES, MOST = 4, 5
TABLES = """
    create table items (
        job_id uuid not null, n int not null, part_id uuid, state text not null default 'queued',
        primary key (job_id, n)
    );
    create table records (job_id uuid not null, n int not null, primary key (job_id, n));
    create table joins (job_id uuid not null);
    grant all on items, records, joins to public;
    """


def create_tables() -> None:
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute(TABLES)


def refill(tx: Tx, ended: EndedPart) -> None:
    if ended.payload.get("raises"):
        raise LookupError
    open_lanes(tx, ended.parent_id, ended.parts_open)


def open_lanes(tx: Tx, parent_id: UUID, parts_open: int = 0) -> None:
    left = db.value(
        tx, "select count(*) from items where job_id = %(id)s and state = 'queued'", id=parent_id
    )
    for _ in range(lanes_wanted(left, parts_open, lanes=LANES, most=MOST)):
        jobs.enqueue(tx, LANE, rows.ACCOUNT, {}, parent=parent_id)


def enqueue_long(tx: Tx, parent_id: UUID) -> None:
    jobs.enqueue(tx, LONG, rows.ACCOUNT, {}, parent=parent_id)


def enqueue_lane(tx: Tx, parent_id: UUID, **payload: object) -> None:
    jobs.enqueue(tx, LANE, rows.ACCOUNT, payload, parent=parent_id)


def give_back(tx: Tx, ended: EndedJob) -> None:
    tx.execute(
        "update items set state = 'queued', part_id = null where part_id = %s and state = 'taken'",
        (ended.id,),
    )


LONG = kinds.register(
    "test.lanes.long", queue=rows.QUEUE, deadline_seconds=6_000, priority=40, on_part=refill
)
LANE = kinds.register(
    "test.lanes.lane",
    queue=rows.QUEUE,
    deadline_seconds=5,
    max_attempts=2,
    ids_per_message=1,
    on_end=give_back,
)


def promise(items: int, **options: object) -> UUID:
    id = ids.new()
    with db.transaction() as tx:
        jobs.enqueue(tx, LONG, rows.ACCOUNT, {}, id=id, **options)  # type: ignore[arg-type]
        tx.execute(
            "insert into items (job_id, n) select %s, n from generate_series(1, %s) n", (id, items)
        )
    return id


def long(attempt: Attempt) -> jobs.Finish | Wait:
    """Opens the lanes; woken, it joins."""
    if attempt.job.attempt == 1:
        return Wait(lambda tx: open_lanes(tx, attempt.id))
    return lambda tx: join(tx, attempt.id)


def join(tx: Tx, id: UUID) -> None:
    tx.execute("insert into joins (job_id) values (%s)", (id,))


def waiting(items: int) -> UUID:
    """A parent whose lanes are to be taken."""
    id = promise(items)
    wait(rows.take(id), lambda tx: open_lanes(tx, id))
    return id


def wait(job: ClaimedJob, write: Callable[[Tx], None] = lambda _tx: None, **how: object) -> None:
    with db.transaction() as tx:
        jobs.finish(tx, [jobs.Done(job, Wait(write, **how))])  # type: ignore[arg-type]


def lane(attempt: Attempt) -> jobs.Finish:
    return run_lane(attempt, take_for(attempt), visit, keep_for(attempt), left, key=str, most=MOST)


Taking = Callable[[Tx, UUID, int], list[int]]


def take_for(attempt: Attempt) -> Taking:
    def take(tx: Tx, part_id: UUID, most: int) -> list[int]:
        tx.execute(
            """
            update items set state = 'taken', part_id = %(part)s from (
                select n from items where job_id = %(job)s and state = 'queued'
                order by n limit %(most)s for update skip locked) as next
            where job_id = %(job)s and items.n = next.n
            """,
            {"part": part_id, "job": attempt.job.parent_id, "most": most},
        )
        sql = "select n from items where part_id = %(part)s and state = 'taken' order by n"
        return list(db.values(tx, sql, part=part_id))

    return take


def visit(items: list[int]) -> Generator[tuple[int, int]]:
    for n in items:
        yield n, n


def keep_for(attempt: Attempt) -> Callable[[Tx, list[int]], None]:
    def keep(tx: Tx, results: list[int]) -> None:
        record(tx, attempt.job, results)

    return keep


def record(tx: Tx, job: ClaimedJob, results: list[int]) -> None:
    for n in results:
        tx.execute("insert into records values (%s, %s)", (job.parent_id, n))
        tx.execute(
            "update items set state = 'done' where job_id = %s and n = %s", (job.parent_id, n)
        )


def left(tx: Tx, items: list[int]) -> None:
    tx.execute("update items set state = 'queued', part_id = null where n = any(%s)", (items,))


def parts(id: UUID, state: str = "queued") -> list[UUID]:
    with db.reading() as reader:
        sql = "select id from jobs where parent_id = %(id)s and state = %(state)s order by id"
        return list(db.values(reader, sql, id=id, state=state))


def parts_open(id: UUID) -> int:
    return int(rows.value("select parts_open from jobs where id = %(id)s", id=id))


def records(id: UUID) -> int:
    return int(rows.value("select count(*) from records where job_id = %(id)s", id=id))


def joins(id: UUID) -> int:
    return int(rows.value("select count(*) from joins where job_id = %(id)s", id=id))


def unfinished(id: UUID) -> bool:
    """Whether the job or a part of it has not ended."""
    sql = "select count(*) from jobs where %(id)s in (id, parent_id) and finished_at is null"
    return bool(rows.value(sql, id=id))


def chosen() -> Iterator[UUID]:
    """What a dispatcher sends, one after the other, until nothing is ready."""
    while jobs_ready := rows.dispatch(depth=1):
        yield jobs_ready[0].id
