"""The dispatcher's loop against a real Redis, in this process."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
import redis
from kombu.transport.redis import Channel

from app.core import db, ids
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.dispatch import selection, sweep
from app.domains.queue.jobs.dispatch_store import DueJob
from tests import servers, spans
from tests.integration.jobs import rows
from workers.queue.dispatcher import Dispatcher
from workers.queue.lost_messages import GENERATION
from workers.queue.messages import FRONT_PER_MOVE, HANG_SECONDS, LATER, Messages, _job_ids


@contextmanager
def running(dispatcher: Dispatcher) -> Iterator[None]:
    loop = threading.Thread(target=dispatcher.run)
    loop.start()
    try:
        yield
    finally:
        dispatcher.stopping.set()
        with db.transaction() as tx:
            tx.execute("select pg_notify('jobs_ready', '')")
        loop.join()


@contextmanager
def announcing() -> Iterator[None]:
    """Submits to another queue, which never cease to be announced."""
    ended = threading.Event()

    def announce() -> None:
        while not ended.wait(0.01):
            with db.transaction() as tx:
                tx.execute("select pg_notify('jobs_ready', 'busy')")

    thread = threading.Thread(target=announce)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def sent(dispatcher: Dispatcher) -> list[dict[str, Any]]:
    waiting: list[bytes] = dispatcher.redis.lrange(rows.QUEUE, 0, -1)  # type: ignore[assignment]
    return [json.loads(message) for message in waiting]


def test_a_newcomer_overtakes_what_another_account_has_in_redis(broker: redis.Redis) -> None:
    messages, newcomer = Messages(broker, 64), ids.new()
    for _ in range(9):
        rows.promise()
    for depth in (1, 5):  # into an empty list, and behind that
        messages.send(rows.QUEUE, selection.messages(rows.dispatch(depth), {}))
    last = rows.promise(account=newcomer)
    messages.send(rows.QUEUE, selection.messages(rows.dispatch(6), {}))
    assert broker.llen(rows.QUEUE + LATER) == 4
    assert [_job_ids(message) for message in broker.lrange(rows.QUEUE, 0, 0)] == [[last]]  # type: ignore[union-attr]
    assert messages.room(rows.QUEUE) == 64 - 6
    assert len(messages.jobs(rows.QUEUE) or ()) == 6


def test_of_what_fills_an_empty_list_one_job_of_each_account_goes_first(
    broker: redis.Redis,
) -> None:
    for account in (ids.new(), ids.new()):
        for _ in range(5):
            rows.promise(account=account)
    Messages(broker, 64).send(rows.QUEUE, selection.messages(rows.dispatch(8), {}))
    assert (broker.llen(rows.QUEUE), broker.llen(rows.QUEUE + LATER)) == (2, 6)


def test_what_lets_newcomers_overtake_is_served_though_they_come_for_ever(
    broker: redis.Redis,
) -> None:
    messages = Messages(broker, 64)
    behind = [rows.promise() for _ in range(4)][1:]
    messages.send(rows.QUEUE, selection.messages(rows.dispatch(4), {}))
    served = []
    for _ in range(4 * FRONT_PER_MOVE):
        rows.promise(account=ids.new())
        messages.send(rows.QUEUE, selection.messages(rows.dispatch(5), {}))
        message = broker.rpop(rows.QUEUE) or broker.rpop(rows.QUEUE + LATER)
        served += _job_ids(message)  # type: ignore[arg-type]
        rows.end(rows.take(served[-1]))
    assert [id for id in served if id in behind] == behind


def test_workers_look_into_the_list_of_newcomers_first() -> None:
    channel = Channel.__new__(Channel)
    assert [channel._q_for_pri("q", step) for step in channel.priority_steps[:2]] == [
        "q",
        "q" + LATER,
    ]


def test_a_dispatch_is_a_span_that_names_its_jobs(dispatcher: Dispatcher) -> None:
    id = rows.promise()
    with spans.recorded() as recorded:
        dispatcher.dispatch()
    facts = recorded.facts(f"dispatch {rows.QUEUE}")
    assert (facts["citegrid.jobs"], facts["citegrid.job_ids"]) == (1, (str(id),))


def test_a_message_outlives_the_last_deadline_in_it(dispatcher: Dispatcher) -> None:
    rows.promise(rows.SHORT, ids.new(), deadline_seconds=1_000)
    rows.promise(rows.SHORT, ids.new(), deadline_seconds=5_000)
    dispatcher.dispatch()
    (message,) = sent(dispatcher)
    assert 4_000 < message["headers"]["timelimit"][0] - HANG_SECONDS <= 5_000


def test_a_message_has_a_limit_above_zero_whatever_its_deadline(dispatcher: Dispatcher) -> None:
    late = DueJob(ids.new(), rows.PLAIN.name, 0, -500.0, rows.ACCOUNT)
    dispatcher.messages.send(rows.QUEUE, [[late]])
    assert sent(dispatcher)[0]["headers"]["timelimit"] == [HANG_SECONDS, None]


def test_jobs_whose_messages_still_wait_are_not_sent_again(dispatcher: Dispatcher) -> None:
    dispatcher.sweep()
    promised = [rows.promise(rows.SHORT) for _ in range(2)]
    dispatcher.dispatch()
    for id in promised:
        rows.past("dispatch_until", id)
    dispatcher.sweep()
    dispatcher.dispatch()
    assert ({rows.state(id) for id in promised}, len(sent(dispatcher))) == ({"dispatched"}, 1)


def test_a_job_whose_message_is_gone_is_sent_again(dispatcher: Dispatcher) -> None:
    dispatcher.sweep()
    id = rows.promise()
    dispatcher.dispatch()
    dispatcher.redis.delete(rows.QUEUE)
    rows.past("dispatch_until", id)
    dispatcher.sweep()
    assert (rows.state(id), dispatcher.dispatch()[0], len(sent(dispatcher))) == ("queued", 1, 1)


def test_a_queue_without_a_worker_grows_no_longer_than_its_depth(dispatcher: Dispatcher) -> None:
    dispatcher.messages = Messages(dispatcher.redis, depth=4)
    for _ in range(5):
        for _ in range(4):
            rows.promise(account=ids.new())
        dispatcher.dispatch()
        with db.transaction() as tx:
            tx.execute("update jobs set deadline_at = now() - interval '1 s'")
        dispatcher.sweep()
    assert len(sent(dispatcher)) == 4


def test_messages_of_others_in_a_list_are_no_jobs(dispatcher: Dispatcher) -> None:
    dispatcher.redis.lpush(rows.QUEUE, b"x", b"{}", b'{"body": "e30="}', b'{"body": 1}')
    assert dispatcher.messages.jobs(rows.QUEUE) == set()


def test_all_that_is_overdue_ends_in_one_sweep(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.queue.maintenance.SWEEP_LIMIT_SECONDS", 60.0)
    monkeypatch.setattr(sweep, "BATCH_JOBS", 2)
    for _ in range(5):
        rows.promise(deadline_seconds=-1)
    dispatcher.sweep()
    assert rows.value("select count(*) from jobs where state = 'failed'") == 5


def test_a_dispatcher_does_not_rest_while_more_is_overdue(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.queue.maintenance.SWEEP_LIMIT_SECONDS", 0.0)
    for name, value in (("SWEEP", 3600.0), ("IDLE", 60.0)):
        monkeypatch.setattr(f"workers.queue.dispatcher.{name}_SECONDS", value)
    monkeypatch.setattr(sweep, "BATCH_JOBS", 2)
    for _ in range(5):
        rows.promise(deadline_seconds=-1)
    with running(dispatcher):
        servers.until(lambda: rows.value("select count(*) from jobs where state = 'failed'") == 5)


def test_one_busy_queue_hides_nothing_that_falls_due_in_another(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "queues", lambda: ["busy", rows.QUEUE])
    job = rows.held()
    rows.fail(job)
    rows.past("run_at", job.id)
    with announcing(), running(dispatcher):
        servers.until(lambda: rows.state(job.id) == "dispatched")


def test_what_redis_does_not_take_waits_again(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise redis.ConnectionError

    id = rows.promise()
    monkeypatch.setattr(dispatcher.messages, "send", refuse)
    dispatcher.stopping.set()  # it would rest before it tries again
    dispatcher.dispatch()
    assert rows.state(id) == "queued"


def test_messages_a_flushed_redis_forgot_are_sent_again(dispatcher: Dispatcher) -> None:
    dispatcher.sweep()
    id = rows.promise()
    dispatcher.dispatch()
    dispatcher.redis.flushall()
    dispatcher.sweep()
    assert rows.state(id) == "queued"


def test_a_flush_is_not_forgotten_when_postgres_is_away_as_well(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> int:
        raise LookupError

    monkeypatch.setattr("app.domains.queue.jobs.dispatch_store.put_all_back", away)
    with pytest.raises(LookupError):
        dispatcher.sweep()
    assert not dispatcher.redis.exists(GENERATION)


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
    with running(dispatcher):
        servers.until(lambda: dispatcher.listener.listens and dispatcher._sleeping)
        first = rows.promise()
        servers.until(lambda: rows.state(first) == "dispatched")
        rows.end(rows.take(first))  # two fit into the queue, and a schedule may have made one
        second = rows.promise()
        servers.until(lambda: rows.state(second) == "dispatched")


def test_a_clock_that_was_set_back_stops_no_schedule_of_the_service(dispatcher: Dispatcher) -> None:
    dispatcher.establish()
    with db.transaction() as tx:
        tx.execute("update schedules set next_tick = next_tick + interval '30 days'")
    dispatcher.establish()
    assert rows.value("""
        select bool_and(next_tick <= now() + make_interval(secs => every_seconds)) from schedules
        """)


def test_a_full_dispatcher_is_awake(dispatcher: Dispatcher) -> None:
    dispatcher._rest(0, False)
    dispatcher.stopping.set()
    dispatcher._rest(1, True)
    assert rows.value("select sleeping from dispatchers") is False


def test_a_queue_full_of_long_jobs_does_not_keep_a_submit_waiting(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):  # asleep, listening, and a queue is full
        dispatcher._rest(0, False)
    dispatcher._pause = 600.0
    monkeypatch.setattr("workers.queue.dispatcher.FULL_PAUSE_LIMIT_SECONDS", 600.0)
    promised = rows.promise()
    dispatcher._rest(0, True)
    dispatcher.dispatch()
    assert rows.state(promised) == "dispatched"


def test_submits_to_a_full_queue_have_it_looked_at_once_in_a_while(dispatcher: Dispatcher) -> None:
    for _ in range(3):
        dispatcher._rest(0, False)
    dispatcher._was_announced = True
    dispatcher.stopping.set()
    dispatcher._rest(0, True)
    assert rows.value("select sleeping from dispatchers") is False


def test_a_server_that_hangs_before_it_listens_is_given_up(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "SILENCE_SECONDS", 0.5)
    monkeypatch.setattr("workers.queue.announcements.LISTEN", "select pg_sleep(20)")
    with pytest.raises(psycopg.OperationalError):
        dispatcher.listener.listen()
