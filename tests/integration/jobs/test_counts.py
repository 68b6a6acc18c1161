"""Counting what waits: exact while it is little, and at the same cost however much it is."""

from datetime import timedelta
from typing import Any

import pytest

from app.core import db
from app.domains.queue.jobs import kinds, part_store
from app.domains.queue.jobs.admission import load_store
from app.domains.queue.jobs.admission.load_store import Load
from app.domains.queue.jobs.operations.queues import sample_store, samples
from tests.integration.jobs import lanes, pages, rows

MANY = 1_500


@pytest.fixture(autouse=True)
def established() -> None:
    rows.establish()


def load(most: int = load_store.COUNTED) -> Load:
    with db.reading() as reader:
        (one,) = load_store.loads(reader, most)
    return one


def sampled(monkeypatch: pytest.MonkeyPatch, counted: int, minute: int = 1_000) -> int:
    """What a sample writes that counts so many, and so many at a whole minute."""
    monkeypatch.setattr(samples, "COUNTED", counted)
    monkeypatch.setattr(samples, "MOST_COUNTED", minute)
    with db.transaction() as tx:
        samples.sample(tx)
    return int(rows.value("select waiting from queue_samples order by at desc limit 1"))


def ends_at(monkeypatch: pytest.MonkeyPatch, second: int) -> None:
    """The next sample is of the step that ended then, in this minute."""
    at = rows.value(
        "select date_trunc('minute', now()) + make_interval(secs => %(second)s)", second=second
    )
    monkeypatch.setattr(sample_store, "due", lambda _tx: at)


def pages_read(sql: Any, **params: Any) -> int:
    with db.transaction() as tx:
        tx.execute("set local enable_seqscan = off")
        return pages.read(tx, sql, **params)


def test_little_is_counted_exactly_by_what_it_waits_for() -> None:
    rows.promise_many(accounts=3, jobs=7)
    rows.promise_many(accounts=1, jobs=0, later=timedelta(hours=1))
    rows.held()
    rows.take(rows.promise(rows.SHORT))
    found = load()
    assert (found.waiting, found.running, found.delayed) == (7, 2, 0)


def test_of_more_the_last_sample_says_how_many() -> None:
    rows.promise_many(accounts=3, jobs=9)
    with db.transaction() as tx:
        tx.execute(
            "insert into queue_samples values (10, now() - interval '5 s', %s, 8, 0, 77, 0, 0, 1)",
            [rows.QUEUE],
        )
    found = load(most=4)
    assert (found.waiting, found.oldest_seconds) == (8, 77.0)
    assert load().waiting == 9


def test_of_more_without_a_sample_as_many_are_said_as_were_counted() -> None:
    rows.promise_many(accounts=3, jobs=9)
    assert load(most=4).waiting == 4


def test_a_whole_minute_is_sampled_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    rows.promise_many(accounts=3, jobs=9)
    ends_at(monkeypatch, 0)
    assert sampled(monkeypatch, counted=4) == 9


def test_a_step_within_the_minute_keeps_what_the_last_whole_one_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows.promise_many(accounts=3, jobs=9)
    rows.dispatch(depth=2)
    ends_at(monkeypatch, 0)
    sampled(monkeypatch, counted=4)
    ends_at(monkeypatch, 10)
    assert sampled(monkeypatch, counted=4) == 9


def test_counting_reads_no_more_when_more_waits() -> None:
    rows.promise_many(accounts=20, jobs=100)
    before = pages_read(load_store.LOADS, most=50)
    rows.promise_many(accounts=20, jobs=MANY, start=101)
    assert pages_read(load_store.LOADS, most=50) <= before * 1.5


def test_looking_for_parts_of_ended_jobs_reads_no_more_when_there_are_more_parts() -> None:
    lanes.create_tables()
    id = lanes.waiting(3)
    before = pages_read(part_store.ORPHANS, kinds=kinds.names(), most=1_000)
    with db.transaction() as tx:
        for _ in range(50):
            lanes.enqueue_lane(tx, id)
    assert pages_read(part_store.ORPHANS, kinds=kinds.names(), most=1_000) <= before + 10
