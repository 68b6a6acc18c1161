"""A paused queue: nothing of it begins; a worker that drains."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.core import db
from app.core.actor import Actor, acting
from app.core.config.settings import Settings
from app.domains.account.audit import store as audit_store
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.operations import worker_store, workers
from app.domains.queue.jobs.operations.queues import queues
from app.domains.queue.jobs.operations.worker_store import Worker
from tests import servers
from tests.integration.jobs import rows
from workers.queue import heartbeat as heartbeats
from workers.queue.heartbeat import Heartbeat

TARGET = 60.0
OTHER = kinds.register("test.pausing", queue="other rows", deadline_seconds=60)
BEAT = worker_store.Beat("host:1", "host:rows", [rows.QUEUE], 2, "0.1")


@pytest.fixture(autouse=True)
def established(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "queues", lambda: [rows.QUEUE])
    with db.transaction() as tx:
        queues.establish(tx)


def pause() -> None:
    with db.transaction() as tx:
        queues.pause(tx, rows.QUEUE, "ada")


def resume() -> None:
    with db.transaction() as tx:
        queues.resume(tx, rows.QUEUE)


def queue() -> queues.Queue:
    with db.reading() as reader:
        return queues.find(reader, rows.QUEUE, TARGET)


@pytest.fixture(autouse=True)
def _ada() -> Iterator[None]:
    with acting(Actor(kind="operator", name="ada")):
        yield


def done() -> list[tuple[str | None, str, str | None]]:
    with db.reading() as reader:
        return [
            (row.by_whom, row.action, row.object)
            for row in audit_store.of_operators(reader, None, 10)
        ]


def test_of_a_paused_queue_nothing_is_dispatched_and_what_runs_goes_on() -> None:
    job = rows.held()
    id = rows.promise()
    pause()
    with db.transaction() as tx:
        choice = selection.choose(tx, rows.QUEUE, 10, 30.0)
    assert (choice.jobs, choice.full) == ([], False)
    rows.end(job)
    assert rows.state(job.id) == "succeeded"
    resume()
    assert [job.id for job in rows.dispatch()] == [id]


def test_workers_claim_nothing_of_a_paused_queue_though_its_message_is_out() -> None:
    id = rows.promise()
    rows.dispatch()
    pause()
    with db.transaction() as tx:
        assert jobs.claim(tx, [id], rows.WORKER, 30.0) == []
    assert rows.state(id) == "queued"
    resume()
    assert rows.take(id).id == id


def test_a_pause_says_since_when_and_by_whom_and_is_written_down_once() -> None:
    pause()
    pause()
    found = queue()
    assert (found.state, found.paused_by, found.paused_at is not None) == ("paused", "ada", True)
    assert done() == [("ada", "queue.paused", rows.QUEUE)]
    resume()
    assert (queue().state, queue().paused_by) == ("idle", None)
    with pytest.raises(queues.QueueNotFound), db.transaction() as tx:
        queues.pause(tx, "nothing", "ada")


def test_another_queue_goes_on_while_one_is_paused() -> None:
    pause()
    id = rows.promise(OTHER)
    assert rows.take(id).id == id


# Workers.


class Consumer:
    """Does at once what it is to do soon."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []

    def call_soon(self, act: Any, *args: Any) -> None:
        act(*args)

    def cancel_task_queue(self, queue: str) -> None:
        self.cancelled.append(queue)


@pytest.fixture
def consumer() -> Consumer:
    return Consumer()


@pytest.fixture
def heartbeat(
    settings: Settings, consumer: Consumer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Heartbeat]:
    monkeypatch.setattr(heartbeats, "BEAT_SECONDS", 0.05)
    beating = Heartbeat(settings, BEAT, consumer, list)
    beating.start()
    servers.until(lambda: bool(every()))
    yield beating
    beating.stop()
    beating._thread.join()


def every() -> list[Worker]:
    with db.reading() as reader:
        return worker_store.every(reader)


def status() -> str:
    (worker,) = every()
    return workers.status_of(worker)


def beat() -> None:
    with db.transaction() as tx:
        worker_store.beat(tx, BEAT)


def silent(seconds: float) -> None:
    with db.transaction() as tx:
        tx.execute("update workers set seen_at = now() - make_interval(secs => %s)", [seconds])


def test_a_worker_says_that_it_lives_and_leaves_in_order(heartbeat: Heartbeat) -> None:
    (worker,) = every()
    assert (worker.queues, worker.places, status()) == ([rows.QUEUE], 2, "idle")
    assert (worker.memory_bytes or 1) > 0
    heartbeat.stop()
    assert every() == []


def test_a_worker_does_not_inherit_the_draining_of_one_that_had_its_id(
    request: pytest.FixtureRequest,
) -> None:
    beat()
    with db.transaction() as tx:
        workers.drain(tx, BEAT.id)
    request.getfixturevalue("heartbeat")
    servers.until(lambda: [workers.status_of(worker) for worker in every()] == ["idle"])


@pytest.mark.usefixtures("heartbeat")
def test_a_drained_worker_takes_nothing_new(consumer: Consumer) -> None:
    with db.transaction() as tx:
        workers.drain(tx, BEAT.id)
    servers.until(lambda: status() == "drained")
    assert consumer.cancelled == [rows.QUEUE]
    assert done() == [("ada", "worker.drained", "host:rows (host:1)")]


def test_a_worker_drains_until_its_last_job_has_ended() -> None:
    beat()
    job = rows.take(rows.promise(), "host:1:2")
    assert (status(), queue().workers, queue().places) == ("running", 1, 2)
    with db.transaction() as tx:
        workers.drain(tx, BEAT.id)
        worker_store.stopped(tx, BEAT.id)
    assert (status(), queue().workers) == ("draining", 0)
    rows.end(job)
    assert status() == "drained"


def test_an_unseen_worker_is_silent_then_gone_and_can_be_forgotten_then() -> None:
    beat()
    silent(20)
    assert status() == "silent"
    with pytest.raises(workers.WorkerNotGone), db.transaction() as tx:
        workers.forget(tx, BEAT.id)
    silent(301)
    assert (status(), queue().workers) == ("gone", 0)
    with db.transaction() as tx:
        workers.forget(tx, BEAT.id)
    assert every() == []
    with pytest.raises(workers.WorkerNotFound), db.transaction() as tx:
        workers.forget(tx, BEAT.id)
