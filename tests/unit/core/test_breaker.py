"""The circuit breaker: three failures open it, a pause and one caller close it again."""

from dataclasses import dataclass

import pytest

from app.core.breaker import Breaker


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def failing(clock: Clock, times: int) -> Breaker:
    breaker = Breaker(failures=3, pause_seconds=30.0, clock=clock)
    for _ in range(times):
        breaker.failed()
    return breaker


def test_a_pause_that_was_asked_for_opens_it_at_once() -> None:
    clock = Clock()
    breaker = failing(clock, 0)
    breaker.failed(pause_seconds=7)
    clock.now = 6.0
    assert not breaker.admits()
    clock.now = 7.5
    assert breaker.admits()


def test_each_further_failure_doubles_the_pause_up_to_the_longest() -> None:
    clock = Clock()
    breaker = Breaker(1, 10.0, longest_seconds=25.0, clock=clock)
    pauses = []
    for _ in range(3):
        breaker.failed()
        began = clock.now
        while not breaker.admits():
            clock.now += 1.0
        pauses.append(clock.now - began)
    assert pauses == [10.0, 20.0, 25.0]


@pytest.mark.parametrize(("seconds", "admits"), [(0.2, True), (3.0, False)])
def test_a_timeout_is_a_failure_if_the_time_was_fair(seconds: float, admits: bool) -> None:
    breaker = Breaker(1, fair_seconds=3.0)
    breaker.timed_out(seconds)
    assert breaker.admits() is admits
