"""Queues that rest and in which nothing waits are left alone, all by one question."""

from datetime import timedelta
from typing import Any

import pytest

from app.core import db
from app.domains.queue.jobs import dispatch_store, kinds
from app.domains.queue.jobs.operations.queues import queues
from tests import counting
from tests.integration.jobs import pages, rows
from workers.queue.dispatcher import Dispatcher

QUEUES = ["another", "one more", rows.QUEUE]


@pytest.fixture(autouse=True)
def several(dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the fixture that knows one queue."""
    monkeypatch.setattr(kinds, "queues", lambda: QUEUES)


def active() -> set[str]:
    with db.reading() as reader:
        return dispatch_store.active(reader, QUEUES)


def test_a_queue_is_active_while_something_waits_that_may_be_due_or_it_is_paused() -> None:
    rows.promise_many(accounts=1, jobs=1, later=timedelta(hours=1))
    seen = [active()]
    rows.promise()
    seen.append(active())
    rows.dispatch()
    seen.append(active())
    rows.establish()
    with db.transaction() as tx:
        queues.pause(tx, rows.QUEUE, "ada")
    assert [*seen, active()] == [set(), {rows.QUEUE}, set(), {rows.QUEUE}]


@pytest.mark.usefixtures("new_files")
def test_the_question_costs_no_more_when_many_wait() -> None:
    def read() -> int:
        with db.transaction() as tx:
            return pages.read(tx, dispatch_store.ACTIVE, queues=QUEUES)

    rows.promise_many(accounts=10, jobs=100)
    few = read()
    rows.promise_many(accounts=10, jobs=12_000, start=101)
    assert read() <= 2 * few


def test_a_dispatcher_at_rest_asks_once_for_all_queues(dispatcher: Dispatcher) -> None:
    dispatcher.dispatch()  # over a new connection, which is looked at first
    with counting.round_trips() as trips:
        assert dispatcher.dispatch() == (0, False)
    assert (trips.postgres, trips.redis) == (1, 0)


def test_what_nobody_announced_is_found(dispatcher: Dispatcher) -> None:
    rows.promise()
    assert dispatcher.dispatch() == (1, False)


def test_a_queue_of_which_something_is_out_is_looked_at(
    dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.promise()
    dispatcher.dispatch()
    looked: list[Any] = []
    choose = dispatcher._choose
    monkeypatch.setattr(dispatcher, "_choose", lambda queue: looked.append(queue) or choose(queue))
    dispatcher.dispatch()
    assert looked == [rows.QUEUE]
