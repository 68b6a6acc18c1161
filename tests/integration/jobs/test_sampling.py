"""Samples of queues: one row per step, whoever writes it, and what follows from them."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from app.core import db
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.queues import queues, sample_store
from app.domains.queue.jobs.operations.queues import samples as queue_samples
from app.domains.queue.jobs.operations.queues.sample_store import QueueSample
from tests.integration.jobs import rows

TARGET = 60.0


@pytest.fixture(autouse=True)
def established(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "queues", lambda: [rows.QUEUE])
    with db.transaction() as tx:
        queues.establish(tx)


def sample() -> int:
    with db.transaction() as tx:
        return queue_samples.sample(tx)


def samples(window: str = "1h") -> list[QueueSample]:
    with db.reading() as reader:
        found = queue_samples.samples(reader, rows.QUEUE, window)
    return [one for one in found if one.waiting is not None]


ENDED = """
    update jobs set state = %s, finished_at =
        date_bin('10 seconds', now() - interval '2 seconds', 'epoch') - make_interval(secs => %s)
    where id = %s
    """


def queue() -> queues.Queue:
    with db.reading() as reader:
        return queues.find(reader, rows.QUEUE, TARGET)


def past(minutes: int, waiting: int, *, running: int = 1, finished: int = 0) -> None:
    """A sample of so many minutes ago."""
    now = datetime.now(UTC).timestamp()
    at = datetime.fromtimestamp(now - now % 10, UTC) - timedelta(minutes=minutes)
    with db.transaction() as tx:
        tx.execute(
            "insert into queue_samples values (10, %s, %s, %s, %s, 0, %s, 0, 1)",
            [at, rows.QUEUE, waiting, running, finished],
        )


def test_a_sample_counts_what_waits_and_runs_and_what_ended_in_its_step() -> None:
    rows.promise()
    rows.promise(run_at=datetime.now(UTC) + timedelta(hours=1))
    rows.held()
    succeeded, failed, failed_before = [rows.promise() for _ in range(3)]
    with db.transaction() as tx:  # in which the time, and so the step, stands still
        tx.execute(ENDED, ["succeeded", 5, succeeded])
        tx.execute(ENDED, ["failed", 5, failed])
        tx.execute(ENDED, ["failed", 15, failed_before])  # in the step before
        assert queue_samples.sample(tx) == 1
    (one,) = samples()
    assert (one.waiting, one.running, one.finished, one.failed) == (1, 1, 1, 1)


def test_two_dispatchers_write_one_sample() -> None:
    barrier = threading.Barrier(4)
    written: list[int] = []

    def dispatcher() -> None:
        barrier.wait()
        written.append(sample())

    threads = [threading.Thread(target=dispatcher) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sum(written), len(samples())) in ((1, 1), (2, 2))  # the step may end meanwhile


def test_five_minutes_are_kept_as_their_peak_though_the_dispatcher_was_away() -> None:
    past(20, 4, finished=3)
    past(62, 9)
    sample()
    with db.reading() as reader:
        found = queue_samples.samples(reader, rows.QUEUE, "24h")
    assert [one.waiting for one in found if one.waiting is not None][:2] == [9, 4]
    assert sum(one.finished or 0 for one in found) == 3


def test_a_window_has_at_most_360_points_and_a_gap_where_nobody_wrote_a_step() -> None:
    past(2, 4)
    with db.reading() as reader:
        found = {
            name: queue_samples.samples(reader, rows.QUEUE, name) for name in queue_samples.WINDOWS
        }
    assert [len(points) for points in found.values()] == [360, 360, 288, 336, 360]
    assert [one.waiting for one in found["1h"]].count(None) == 359


def test_samples_are_forgotten_in_time() -> None:
    past(1_430, 1)
    past(1_450, 1)
    with db.transaction() as tx:
        assert sample_store.forget(tx, 100) == 1
    assert queue().name == rows.QUEUE


def test_a_queue_grows_when_more_waits_than_five_minutes_ago() -> None:
    for _ in range(3):
        rows.promise()
    with db.transaction() as tx:
        tx.execute("update jobs set run_at = now() - interval '90 s'")
        worker_store.beat(tx, worker_store.Beat("host:1", "host:rows", [rows.QUEUE], 1, "0.1"))
    rows.take(rows.promise(), "host:1:2")
    past(5, 1)
    found = queue()
    assert (found.state, found.waiting, found.growth_per_minute) == ("growing", 3, 0.4)
    assert found.drains_in_seconds is None


def test_the_rate_is_that_of_the_last_minutes() -> None:
    past(1, 0, finished=0)
    past(2, 0, finished=6)
    with db.transaction() as tx:
        worker_store.beat(tx, worker_store.Beat("host:1", "host:rows", [rows.QUEUE], 1, "0.1"))
    rows.promise()
    found = queue()
    assert (found.per_second, found.drains_in_seconds) == (0.3, pytest.approx(1 / 0.3))


def test_what_waits_without_a_worker_is_stuck() -> None:
    rows.promise()
    found = queue()
    assert found.state == "stuck"
    assert queues.headline([found]).startswith("rows is stuck: 1 waiting, 0 running, oldest ")
