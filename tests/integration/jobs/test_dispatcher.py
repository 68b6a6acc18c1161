"""The dispatcher's loop against a real Redis, in this process."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from kombu import pools
from kombu.exceptions import OperationalError

from app.core import db
from app.core.config import Settings
from app.domains.jobs import kinds
from tests import servers
from tests.integration.jobs import rows
from workers.queue.celery import create_worker
from workers.queue.dispatcher import GENERATION, HANG_SECONDS, Dispatcher


@pytest.fixture
def broker(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def dispatcher(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dispatcher]:
    monkeypatch.setattr(kinds, "queues", lambda: [rows.QUEUE])
    celery = create_worker(settings, [])
    found = Dispatcher(settings, celery)
    yield found
    if found._bell:
        found._bell.close()
    found.redis.close()
    pools.reset()
    celery.close()


def sent(broker: redis.Redis) -> list[dict[str, Any]]:
    waiting: list[bytes] = broker.lrange(rows.QUEUE, 0, -1)  # type: ignore[assignment]
    return [json.loads(message) for message in waiting]


def test_a_ready_job_becomes_a_message(dispatcher: Dispatcher, broker: redis.Redis) -> None:
    id = rows.promise()
    assert (dispatcher.dispatch(), rows.state(id), len(sent(broker))) == (
        (1, False),
        "dispatched",
        1,
    )


def test_a_message_outlives_the_last_deadline_in_it(
    dispatcher: Dispatcher, broker: redis.Redis
) -> None:
    rows.promise(rows.SHORT, deadline_seconds=10)
    rows.promise(rows.SHORT, deadline_seconds=500)
    dispatcher.dispatch()
    (message,) = sent(broker)
    assert 490 < message["headers"]["timelimit"][0] - HANG_SECONDS <= 500


def test_what_redis_does_not_take_waits_again(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OperationalError

    id = rows.promise()
    monkeypatch.setattr(dispatcher, "_send", refuse)
    dispatcher.stopping.set()  # it would rest before it tries again
    dispatcher.dispatch()
    assert rows.state(id) == "queued"


def test_messages_a_flushed_redis_forgot_are_sent_again(
    dispatcher: Dispatcher, broker: redis.Redis
) -> None:
    dispatcher.sweep()
    id = rows.promise()
    dispatcher.dispatch()
    broker.flushall()
    dispatcher.sweep()
    assert rows.state(id) == "queued"


def test_messages_of_a_redis_that_remembers_are_left_alone(dispatcher: Dispatcher) -> None:
    dispatcher.sweep()
    id = rows.promise()
    dispatcher.dispatch()
    dispatcher.sweep()
    assert rows.state(id) == "dispatched"


def test_a_flush_is_not_forgotten_when_postgres_is_away_as_well(
    dispatcher: Dispatcher, broker: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> int:
        raise LookupError

    monkeypatch.setattr("app.domains.jobs.dispatching.put_all_back", away)
    with pytest.raises(LookupError):
        dispatcher.sweep()
    assert not broker.exists(GENERATION)


def test_a_fault_in_housekeeping_does_not_stop_the_dispatcher(dispatcher: Dispatcher) -> None:
    ran = []

    def broken() -> None:
        ran.append(1)
        raise LookupError

    dispatcher._every(0.0, broken)
    dispatcher._every(0.0, broken)
    assert len(ran) == 2


def test_a_submit_wakes_a_dispatcher_that_sleeps(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.queue.dispatcher.IDLE_SECONDS", 60.0)
    loop = threading.Thread(target=dispatcher.run)
    loop.start()
    try:
        servers.until(lambda: dispatcher._bell is not None and dispatcher._sleeping)
        first = rows.promise()
        servers.until(lambda: rows.state(first) == "dispatched")
        second = rows.promise()
        servers.until(lambda: rows.state(second) == "dispatched")
    finally:
        dispatcher.stopping.set()
        with db.transaction() as tx:
            tx.execute("select pg_notify('jobs_ready', '')")
        loop.join()


def test_a_dispatcher_establishes_the_services_own_schedules(dispatcher: Dispatcher) -> None:
    dispatcher.establish()
    assert rows.value("select count(*) from schedules where kind = 'retention.apply'") == 1


def test_a_full_dispatcher_is_awake(dispatcher: Dispatcher) -> None:
    dispatcher._rest(0, False)
    dispatcher.stopping.set()
    dispatcher._rest(1, True)
    assert rows.value("select sleeping from dispatchers") is False
