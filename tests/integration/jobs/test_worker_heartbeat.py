"""What a Celery worker writes of itself."""

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.jobs.operations import worker_store, workers
from tests import servers
from workers.queue.heartbeat import Heartbeat

BEAT = workers.Beat("host:1", "host:searches", ["searches"], 2, "0.1")


class Consumer:
    """Takes messages of nothing."""

    def call_soon(self, act: object, *args: object) -> None: ...
    def cancel_task_queue(self, queue: str) -> None: ...


def test_a_worker_does_not_inherit_the_draining_of_one_that_had_its_id(
    settings: Settings, database: str
) -> None:
    with db.transaction() as tx:
        workers.beat(tx, BEAT)
        workers.drain(tx, BEAT.id)
    heartbeat = Heartbeat(settings, BEAT, Consumer(), list)
    heartbeat.start()
    try:
        servers.until(lambda: _status() == "idle")
    finally:
        heartbeat.stop()


def _status() -> str | None:
    with db.reading() as reader:
        return next((workers.status_of(row) for row in worker_store.every(reader)), None)
