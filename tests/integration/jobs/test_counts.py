"""Counting what waits: exact while it is little, and at the same cost however much it is."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.core import db, ids
from app.domains.queue.jobs import kinds, part_store
from app.domains.queue.jobs.admission import load_store
from app.domains.queue.jobs.admission.load_store import Load
from app.domains.queue.jobs.operations.queues import samples
from tests.integration.jobs import lanes, pages, rows

STEP = timedelta(seconds=10)
Minute = Callable[[int], datetime]


@pytest.fixture(autouse=True)
def established() -> None:
    rows.establish()


def load() -> Load:
    with db.reading() as reader:
        (one,) = load_store.loads(reader)
    return one


def sampled(at: datetime, waiting: int, *, running: int = 0, oldest: float = 77.0) -> None:
    """A sample of the step that ended then."""
    with db.transaction() as tx:
        tx.execute(
            "insert into queue_samples values (10, %s, %s, %s, %s, %s, 0, 0, 1)",
            [at, rows.QUEUE, waiting, running, oldest],
        )


@pytest.fixture
def minute() -> Minute:
    """So many seconds into a minute to come: nothing else falls into it, nor does it get old."""
    began: datetime = rows.value("select date_trunc('minute', now() + interval '1 hour')")
    return lambda second: began + timedelta(seconds=second)


def now() -> datetime:
    """The database's: a sample counts for two minutes."""
    at: datetime = rows.value("select now()")
    return at


def taken(end: datetime) -> int:
    """The number of waiting jobs in the sample of the step that ended then."""
    with db.transaction() as tx:
        samples.take(tx, end)
    return int(rows.value("select waiting from queue_samples where at = %(end)s", end=end))


def pages_read(sql: Any, **params: Any) -> int:
    with db.transaction() as tx:
        tx.execute("set local enable_seqscan = off")
        return pages.read(tx, sql, **params)


def test_little_is_counted_exactly_by_what_it_waits_for() -> None:
    rows.promise_many(accounts=3, jobs=7)
    rows.held()
    rows.take(rows.promise(rows.SHORT))
    found = load()
    assert (found.waiting, found.running) == (7, 2)


def test_what_begins_later_is_counted_by_itself() -> None:
    rows.promise_many(accounts=3, jobs=4, later=timedelta(hours=1))
    with db.reading() as reader:
        assert load_store.later(reader) == {rows.QUEUE: 4}
    assert load().waiting == 0


def test_of_many_the_last_sample_says_how_many_unless_they_have_drained_since() -> None:
    rows.promise_many(accounts=3, jobs=load_store.ENOUGH - 1)
    sampled(now(), 5_000)
    assert load().waiting == load_store.ENOUGH - 1
    rows.promise()
    found = load()
    assert (found.waiting, found.oldest_seconds) == (5_000, 77.0)


def test_of_more_without_a_sample_as_many_are_said_as_were_counted() -> None:
    rows.promise_many(accounts=3, jobs=load_store.COUNTED + 5)
    assert load().waiting == load_store.COUNTED


def test_a_whole_minute_and_a_step_after_a_gap_are_sampled_exactly(minute: Minute) -> None:
    rows.promise_many(accounts=3, jobs=load_store.COUNTED + 5)
    sampled(minute(0) - STEP, 5_000)
    assert taken(minute(0)) == load_store.COUNTED + 5
    sampled(minute(20), 5_000)
    assert taken(minute(40)) == load_store.COUNTED + 5


def test_within_a_minute_what_came_and_went_is_added_to_the_step_before(minute: Minute) -> None:
    rows.promise_many(accounts=3, jobs=load_store.ENOUGH)
    sampled(minute(20), 5_000, running=1)
    for second in (21, 22, 23, 19, 31):  # three of them in the step
        rows.promise(id=ids.first_of(minute(second)))
    went = [rows.promise() for _ in range(2)]
    with db.transaction() as tx:
        tx.execute(ENDED, [minute(21), went[0]])
        tx.execute(ENDED, [minute(19), went[1]])
    rows.take(rows.promise())
    rows.take(rows.promise())
    assert taken(minute(30)) == 5_000 + 3 - 1 - 1  # one more runs


ENDED = "update jobs set state = 'cancelled', finished_at = %s where id = %s"


@pytest.mark.usefixtures("new_files")
def test_counting_reads_no_more_when_more_waits() -> None:
    rows.promise_many(accounts=20, jobs=load_store.COUNTED)
    sampled(now(), load_store.COUNTED)
    before = pages_read(load_store.LOADS)
    rows.promise_many(accounts=20, jobs=10 * load_store.COUNTED, start=load_store.COUNTED + 1)
    sampled(now(), load_store.COUNTED)
    assert pages_read(load_store.LOADS) <= before * 1.5


@pytest.mark.usefixtures("new_files")
def test_a_sample_reads_no_more_when_more_waits(minute: Minute) -> None:
    rows.promise_many(accounts=20, jobs=load_store.COUNTED)
    sampled(minute(0), load_store.COUNTED)
    before = pages_taken(minute(10))
    rows.promise_many(accounts=20, jobs=10 * load_store.COUNTED, start=load_store.COUNTED + 1)
    assert pages_taken(minute(20)) <= before * 1.5


def pages_taken(end: datetime) -> int:
    with db.transaction() as tx:
        return pages.of_jobs(tx, lambda tx: samples.take(tx, end))


@pytest.mark.usefixtures("new_files")
def test_looking_for_parts_of_ended_jobs_reads_no_more_when_there_are_more_parts() -> None:
    lanes.create_tables()
    id = lanes.waiting(3)
    before = pages_read(part_store.ORPHANS, kinds=kinds.names(), most=1_000)
    with db.transaction() as tx:
        for _ in range(50):
            lanes.enqueue_lane(tx, id)
    assert pages_read(part_store.ORPHANS, kinds=kinds.names(), most=1_000) <= before + 10
