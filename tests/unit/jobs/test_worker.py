"""How the Celery application of the workers is set up."""

from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery

from app.core.config.settings import Settings
from workers.queue.celery import RECONNECT_SECONDS, create_worker


@pytest.fixture
def worker() -> Iterator[Celery]:
    settings = Settings(
        database_url="postgresql:///none", redis_url="redis://127.0.0.1:1/0", secret_key="x" * 32
    )
    celery = create_worker(settings, [])
    yield celery
    celery.close()


def test_a_lost_redis_is_looked_for_every_two_seconds_at_most(
    worker: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def retry(*arguments: Any, **_: Any) -> None:
        asked.append(arguments[8])  # interval_max

    monkeypatch.setattr("kombu.connection.retry_over_time", retry)
    with worker.connection_for_read() as connection:
        connection.ensure_connection(None, None, callback=None)
    assert asked == [RECONNECT_SECONDS]


def test_messages_are_acknowledged_when_taken(worker: Celery) -> None:
    assert worker.conf.task_acks_late is False


def test_no_message_is_taken_before_there_is_a_process_for_it(worker: Celery) -> None:
    assert (worker.conf.worker_prefetch_multiplier, worker.conf.worker_disable_prefetch) == (
        1,
        True,
    )
