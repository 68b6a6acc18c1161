"""Pace and health of engines in a real Redis, and the same rules without it."""

import time
from collections.abc import Iterator

import pytest
import redis

from app.core.breaker import FAILURES
from app.core.redis import circuits as rules
from app.core.redis import events
from app.core.redis.circuits import Circuits
from tests.servers import until

SOON, LATER = 0.05, 250.0


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with events.connect(redis_url) as client:
        yield client


@pytest.fixture(params=["redis", "memory"])
def circuits(request: pytest.FixtureRequest) -> Iterator[Circuits]:
    """One over Redis, and one whose Redis is away."""
    if request.param == "redis":
        yield Circuits(request.getfixturevalue("client"))
    else:
        with events.connect("redis://127.0.0.1:1") as away:
            yield Circuits(away)


def enter(circuits: Circuits, name: str = "brave", *, patience: float = LATER) -> float | None:
    return circuits.enter(name, 0.0, patience)


def fail(circuits: Circuits, times: int) -> None:
    for _ in range(times):
        circuits.failed("brave")


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Circuits stay open for a moment only."""
    monkeypatch.setattr(rules, "OPEN_SECONDS", SOON)


def test_calls_come_a_gap_apart_and_a_turn_beyond_the_patience_is_not_taken(
    circuits: Circuits,
) -> None:
    circuits.enter("brave", 100.0, LATER)
    assert circuits.enter("brave", 100.0, 5.0) is None
    waits = [circuits.enter("brave", 100.0, LATER) for _ in range(2)]
    assert [round(wait or 0.0, -2) for wait in waits] == [100, 200]


def test_no_turn_waits_for_a_clock_that_was_set_back(client: redis.Redis) -> None:
    circuits = Circuits(client)
    in_a_day = int((time.time() + 86_400) * 1000)
    client.set("circuit:{brave}:slot", in_a_day, px=86_400_000)
    assert circuits.enter("brave", 100.0, LATER) == 0.0


def test_failures_in_a_row_open_the_circuit_of_their_engine(circuits: Circuits) -> None:
    fail(circuits, FAILURES - 1)
    assert enter(circuits) == 0.0
    fail(circuits, 1)
    assert enter(circuits) is None
    assert enter(circuits, "searxng") == 0.0


def test_a_success_between_forgets_the_failures(circuits: Circuits) -> None:
    fail(circuits, FAILURES - 1)
    circuits.succeeded("brave")
    fail(circuits, FAILURES - 1)
    assert enter(circuits) == 0.0


def test_one_caller_at_a_time_tries_until_one_succeeds(circuits: Circuits, brief: None) -> None:
    fail(circuits, FAILURES)
    until(lambda: enter(circuits) is not None)
    assert enter(circuits) is None
    circuits.undecided("brave")
    assert [enter(circuits), enter(circuits)] == [0.0, None]
    circuits.succeeded("brave")
    assert [enter(circuits), enter(circuits)] == [0.0, 0.0]


def test_a_try_that_fails_opens_it_again(
    circuits: Circuits, brief: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(circuits, FAILURES)
    until(lambda: enter(circuits) is not None)
    monkeypatch.setattr(rules, "OPEN_SECONDS", LATER)
    monkeypatch.setattr(circuits._memory.breaker("brave"), "_pause", LATER)  # made before
    circuits.failed("brave")
    assert enter(circuits) is None


def test_a_timeout_within_less_than_a_fair_time_is_no_failure(client: redis.Redis) -> None:
    circuits = Circuits(client, fair_seconds=3.0)
    for _ in range(FAILURES):
        circuits.timed_out("brave", 0.2)
    assert enter(circuits) == 0.0


def test_timeouts_within_a_fair_time_open_the_circuit(circuits: Circuits) -> None:
    for _ in range(FAILURES):
        circuits.timed_out("brave", 3.0)
    assert enter(circuits) is None


def test_a_pause_the_engine_asks_for_is_kept_after_one_failure(circuits: Circuits) -> None:
    circuits.failed("brave", LATER)
    assert enter(circuits) is None


def test_a_pause_that_is_over_leaves_the_circuit_closed(circuits: Circuits) -> None:
    circuits.failed("brave", SOON)
    until(lambda: enter(circuits) is not None)
    assert enter(circuits) == 0.0


def test_processes_share_what_they_learn(client: redis.Redis, redis_url: str) -> None:
    fail(Circuits(client), FAILURES)
    with events.connect(redis_url) as other:
        assert enter(Circuits(other)) is None


def test_the_pause_doubles_up_to_its_longest(client: redis.Redis) -> None:
    circuits, open_key = Circuits(client), "circuit:{brave}:open"
    fail(circuits, FAILURES + 1)
    assert client.pttl(open_key) > 1000 * rules.OPEN_SECONDS
    fail(circuits, 30)
    assert client.pttl(open_key) <= 1000 * rules.LONGEST_OPEN_SECONDS
