"""Whether Postgres has a connection for every process that may open one."""

import pytest

from app.domains.queue.jobs.operations.queues.connections import Budget


def budget(**changed: int) -> Budget:
    facts = {"allowed": 97, "open": 12, "places": 10, "workers": 4, "dispatchers": 1}
    return Budget(**{**facts, **changed})


def test_each_place_each_worker_and_each_dispatcher_may_open_its_own() -> None:
    assert budget().later == 10 * 2 + 4 * 1 + 1 * 6


def test_enough_is_no_shortage() -> None:
    assert budget().shortage(20) is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"places": 40}, "40 places of workers and 1 dispatchers may open 90: 7 are left"),
        ({"open": 90}, "allows 97 connections and 90 are open: no room for 20 more"),
    ],
)
def test_a_shortage_is_said_before_it_happens(changed: dict[str, int], words: str) -> None:
    assert words in (budget(**changed).shortage(20) or "")
