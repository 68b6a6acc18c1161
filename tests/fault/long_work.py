"""A parent and its lanes for the fault tests: a record per row, and stages at which one may die.

A row of `deaths` kills the first process that reaches its stage, once.
"""

import time
from collections.abc import Generator
from uuid import UUID

import psycopg

from app.core import db
from app.core.config.settings import environment
from app.core.db import Tx
from app.domains.queue.jobs import kinds, parts
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import EndedJob, EndedPart
from app.domains.queue.jobs.parts import Wait
from tests.fault.work import QUEUE, die
from workers.queue.attempt import Attempt, handles
from workers.records.lanes.slices import run_lane

TABLES = """
    create table items (
        job_id uuid not null, n int not null, part_id uuid, state text not null default 'queued',
        primary key (job_id, n)
    );
    create table records (job_id uuid not null, n int not null, value int not null);
    create table joins (job_id uuid not null);
    create table deaths (stage text not null);
    """
STAGES = (
    "planning", "planned", "taking", "taken", "working", "keeping", "kept", "ending", "ended",
    "joining", "joined",
)  # fmt: skip
LANES, MOST = 4, 20
ITEM_SECONDS = 0.01


def mortal(stage: str) -> None:
    """Die here if it is this stage's turn.

    Over a connection of its own: a place of a worker has no second one beside an open transaction.
    """
    with psycopg.connect(environment()["DATABASE_URL"]) as connection:
        fatal = connection.execute(
            "delete from deaths where ctid = (select ctid from deaths where stage = %s limit 1"
            " for update skip locked)",
            (stage,),
        ).rowcount
    if fatal:
        die()


def refill(tx: Tx, ended: EndedPart) -> None:
    open_lanes(tx, ended.parent_id, ended.account_id, ended.parts_open)


def open_lanes(tx: Tx, parent_id: UUID, account_id: UUID, parts_open: int = 0) -> None:
    sql = "select count(*) from items where job_id = %(id)s and state = 'queued'"
    left = db.value(tx, sql, id=parent_id)
    for _ in range(parts.lanes_wanted(left, parts_open, lanes=LANES, most=MOST)):
        jobs.enqueue(tx, LANE, account_id, {}, parent=parent_id)


def give_back(tx: Tx, ended: EndedJob) -> None:
    tx.execute(
        "update items set state = 'queued', part_id = null where part_id = %s and state = 'taken'",
        (ended.id,),
    )


LONG = kinds.register(
    "test.long",
    queue=QUEUE,
    deadline_seconds=300,
    max_attempts=20,
    priority=40,
    backoff_seconds=0.1,
    backoff_limit_seconds=1,
    on_part=refill,
)
LANE = kinds.register(
    "test.lane",
    queue=QUEUE,
    deadline_seconds=300,
    backoff_seconds=0.1,
    backoff_limit_seconds=1,
    ids_per_message=1,
    on_end=give_back,
)


@handles(LONG)
def long(attempt: Attempt) -> jobs.Finish | Wait:
    with db.reading() as reader:
        sql = "select count(*) from items where job_id = %(id)s"
        planned = db.value(reader, sql, id=attempt.id)
    if not planned:
        return Wait(lambda tx: plan(tx, attempt))
    return lambda tx: join(tx, attempt)


def plan(tx: Tx, attempt: Attempt) -> None:
    tx.execute(
        "insert into items (job_id, n) select %s, n from generate_series(1, %s) n",
        (attempt.id, attempt.payload["items"]),
    )
    open_lanes(tx, attempt.id, attempt.account_id)
    mortal("planning")
    tx.after_commit.append(lambda: mortal("planned"))


def join(tx: Tx, attempt: Attempt) -> None:
    tx.execute("insert into joins (job_id) values (%s)", (attempt.id,))
    mortal("joining")
    tx.after_commit.append(lambda: mortal("joined"))


@handles(LANE)
def lane(attempt: Attempt) -> jobs.Finish:
    parent_id = attempt.job.parent_id

    def take(tx: Tx, part_id: UUID, most: int) -> list[int]:
        tx.execute(
            """
            update items set state = 'taken', part_id = %(part)s from (
                select n from items where job_id = %(job)s and state = 'queued'
                order by n limit %(most)s for update skip locked) as next
            where job_id = %(job)s and items.n = next.n
            """,
            {"part": part_id, "job": parent_id, "most": most},
        )
        mortal("taking")
        tx.after_commit.append(lambda: mortal("taken"))
        sql = "select n from items where part_id = %(part)s and state = 'taken' order by n"
        return list(db.values(tx, sql, part=part_id))

    def keep(tx: Tx, results: list[tuple[int, int]]) -> None:
        for n, value in results:
            tx.execute("insert into records values (%s, %s, %s)", (parent_id, n, value))
            tx.execute("update items set state = 'done' where (job_id, n) = (%s, %s)",
                       (parent_id, n))  # fmt: skip
        mortal("keeping")
        tx.after_commit.append(lambda: mortal("kept"))

    def left(tx: Tx, items: list[int]) -> None:
        tx.execute(
            "update items set state = 'queued', part_id = null where job_id = %s and n = any(%s)",
            (parent_id, items),
        )
        mortal("ending")
        tx.after_commit.append(lambda: mortal("ended"))

    return run_lane(attempt, take, work, keep, left, key=str, most=MOST)


def work(items: list[int]) -> Generator[tuple[int, tuple[int, int]]]:
    for n in items:
        time.sleep(ITEM_SECONDS)
        mortal("working")
        yield n, (n, n * n)
