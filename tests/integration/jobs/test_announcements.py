"""A job that is announced to a dispatcher that sleeps is sent before it is chosen."""

import psycopg
import pytest
import redis

from app.core import db, ids
from app.core.config.settings import Settings
from app.domains.queue.jobs import dispatch_store
from app.domains.queue.jobs.dispatch_store import DueJob
from tests.integration.jobs import lanes, rows
from tests.patience import PATIENCE_SECONDS
from workers.queue.announcements import AnnouncementListener
from workers.queue.dispatcher import Dispatcher


@pytest.fixture
def dispatcher(dispatcher: Dispatcher) -> Dispatcher:
    """It sleeps, and has seen that nothing waits."""
    dispatcher._set_sleeping(True)
    dispatcher.listener.listen()
    dispatcher.dispatch()
    return dispatcher


def test_a_new_job_is_sent_while_its_row_still_waits_and_not_again_once_it_is_chosen(
    dispatcher: Dispatcher,
) -> None:
    id = rows.promise()
    assert dispatcher._heard(PATIENCE_SECONDS) == {rows.QUEUE}
    assert (dispatcher.messages.jobs(rows.QUEUE), rows.state(id)) == ({id}, "queued")
    dispatcher.dispatch()
    assert (rows.state(id), dispatcher.redis.llen(rows.QUEUE)) == ("dispatched", 1)


def test_a_job_that_was_sent_can_be_claimed_before_it_is_chosen(dispatcher: Dispatcher) -> None:
    id = rows.promise()
    dispatcher._heard(PATIENCE_SECONDS)
    rows.take(id)
    assert (dispatcher.dispatch(), rows.state(id)) == ((1, False), "running")


def test_no_more_are_sent_than_a_choice_would_send(dispatcher: Dispatcher) -> None:
    for _ in range(dispatcher.depths.of(rows.QUEUE) + 1):
        rows.promise()
    dispatcher._heard(PATIENCE_SECONDS)
    assert dispatcher.redis.llen(rows.QUEUE) == dispatcher.depths.of(rows.QUEUE)


def test_nothing_of_a_paused_queue_is_sent(dispatcher: Dispatcher) -> None:
    rows.establish()
    with db.transaction() as tx:
        tx.execute(
            "update queues set paused_at = now(), paused_by = 'x' where name = %s", [rows.QUEUE]
        )
    dispatcher.dispatch()
    rows.promise()
    dispatcher._heard(PATIENCE_SECONDS)
    assert dispatcher.redis.llen(rows.QUEUE) == 0


def test_a_job_that_redis_did_not_take_is_sent_after_the_choice(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise redis.ConnectionError

    rows.promise()
    with monkeypatch.context() as broken:
        broken.setattr(dispatcher.messages, "send", away)
        dispatcher._heard(PATIENCE_SECONDS)
    dispatcher.dispatch()
    assert dispatcher.redis.llen(rows.QUEUE) == 1


def test_a_job_of_the_future_is_not_sent(dispatcher: Dispatcher) -> None:
    with db.reading() as reader:
        tomorrow = db.value(reader, "select now() + interval '1 day'")
    rows.promise(run_at=tomorrow)
    dispatcher._heard(PATIENCE_SECONDS)
    assert dispatcher.redis.llen(rows.QUEUE) == 0


def test_of_several_dispatchers_one_is_told_of_a_job(settings: Settings) -> None:
    listeners = [AnnouncementListener(settings, id) for id in "abc"]
    for listener in listeners:
        listener.share_with("abc")
        listener.listen()
    with db.transaction() as tx:
        dispatch_store.beat(tx, "a", sleeping=True)
    id = rows.promise()
    with db.transaction() as tx:
        tx.execute("select pg_notify('jobs_ready', 'end')")
    heard = [each.job for listener in listeners for each in listener.wait(PATIENCE_SECONDS)]
    for listener in listeners:
        listener.close()
    assert [job.id for job in heard if job is not None] == [id]


def test_a_dispatcher_that_stopped_is_told_of_nothing(dispatcher: Dispatcher) -> None:
    dispatcher.beat()
    dispatcher.stopping.set()
    dispatcher.run()
    with db.reading() as reader:
        assert dispatch_store.alive(reader) == []


def test_what_is_announced_of_a_job_is_what_a_choice_says(settings: Settings) -> None:
    listener = AnnouncementListener(settings, "a")
    listener.listen()
    with db.transaction() as tx:
        dispatch_store.beat(tx, "a", sleeping=True)
    account = ids.new()
    rows.promise(account=account)
    ((queue, job),) = listener.wait(PATIENCE_SECONDS)
    listener.close()
    assert job is not None
    (chosen,) = rows.dispatch()
    assert (queue, _without_time(job)) == (rows.QUEUE, _without_time(chosen))


def _without_time(job: DueJob) -> tuple[object, ...]:
    return job.id, job.kind, job.attempt, job.account_id, round(job.seconds_left, -2)


def test_the_announcements_of_the_parts_of_one_parent_are_one(database: str) -> None:
    parent = rows.held(lanes.LONG)
    with db.transaction() as tx:
        dispatch_store.beat(tx, "a", sleeping=True)
    with psycopg.connect(database, autocommit=True) as listener:
        listener.execute("listen jobs_ready")
        lanes.wait(parent, lambda tx: [lanes.enqueue_lane(tx, parent.id) for _ in range(3)])
        payloads = [
            each.payload for each in listener.notifies(timeout=PATIENCE_SECONDS, stop_after=1)
        ]
    assert payloads == [rows.QUEUE]
