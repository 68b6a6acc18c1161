"""The one rule that says how a queue does."""

from dataclasses import replace
from itertools import product

import pytest

from app.domains.queue.jobs.operations.queues import queue_states
from app.domains.queue.jobs.operations.queues.queue_states import Facts, drain_seconds, state_of
from app.domains.queue.jobs.operations.queues.queues import brief

TARGET = 60.0
BUSY = Facts(
    paused=False,
    waiting=5,
    running=2,
    oldest_seconds=3.0,
    workers=1,
    waiting_before=5,
    quiet_seconds=0.0,
)


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ({}, "flowing"),
        ({"waiting": 0, "running": 0, "oldest_seconds": 0.0}, "idle"),
        ({"waiting": 0, "running": 0, "workers": 0}, "idle"),
        ({"waiting": 0}, "flowing"),
        ({"waiting_before": 4}, "flowing"),
        ({"waiting_before": 4, "oldest_seconds": 60.1}, "growing"),
        ({"waiting_before": 6, "oldest_seconds": 900.0}, "flowing"),
        ({"waiting_before": None, "oldest_seconds": 900.0}, "flowing"),
        ({"workers": 0}, "stuck"),
        ({"running": 0, "oldest_seconds": 70.0, "quiet_seconds": 59.9}, "flowing"),
        ({"running": 0, "oldest_seconds": 70.0, "quiet_seconds": 60.0}, "stuck"),
        ({"running": 0, "oldest_seconds": 59.0, "quiet_seconds": 900.0}, "flowing"),
        ({"running": 0, "oldest_seconds": 60.0, "quiet_seconds": None}, "stuck"),
        ({"running": 1, "oldest_seconds": 900.0, "quiet_seconds": 900.0}, "flowing"),
        ({"paused": True}, "paused"),
    ],
)
def test_each_case_of_the_rule(changed: dict[str, object], state: str) -> None:
    assert state_of(replace(BUSY, **changed), TARGET) == state  # type: ignore[arg-type]


def test_whatever_is_known_there_is_exactly_one_state() -> None:
    numbers = [0, 1, 7]
    for paused, waiting, running, workers in product([True, False], numbers, numbers, numbers):
        for before, quiet in product([None, 0, 9], [None, 0.0, 61.0]):
            facts = Facts(paused, waiting, running, 61.0, workers, before, quiet)
            assert state_of(facts, TARGET) in queue_states.STATES


def test_a_queue_drains_at_its_rate_or_never() -> None:
    assert drain_seconds("flowing", 55, 3.1) == pytest.approx(17.7, abs=0.1)
    assert drain_seconds("flowing", 0, 0.0) == 0.0
    assert [drain_seconds(state, 5, 1.0) for state in ("growing", "stuck", "paused")] == [None] * 3
    assert drain_seconds("flowing", 5, 0.0) is None


def test_spans_are_said_in_two_units() -> None:
    spans = [brief(s) for s in (1.2, 119, 500, 11_100, 187_200)]
    assert spans == ["1 s", "119 s", "8 min 20 s", "3 h 5 min", "2 d 4 h"]
