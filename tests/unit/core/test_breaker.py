"""The circuit breaker: three failures open it, a pause and one caller close it again."""

from dataclasses import dataclass

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


def test_two_failures_leave_it_closed() -> None:
    assert failing(Clock(), 2).admits()


def test_the_third_failure_opens_it() -> None:
    assert not failing(Clock(), 3).admits()


def test_a_success_forgets_what_failed_before() -> None:
    breaker = failing(Clock(), 2)
    breaker.worked()
    breaker.failed()
    assert breaker.admits()


def test_after_the_pause_one_caller_tries_and_the_next_waits() -> None:
    clock = Clock()
    breaker = failing(clock, 3)
    clock.now = 31.0
    assert (breaker.admits(), breaker.admits()) == (True, False)


def test_a_trial_that_fails_opens_it_again() -> None:
    clock = Clock()
    breaker = failing(clock, 3)
    clock.now = 31.0
    breaker.admits()
    breaker.failed()
    clock.now = 60.0
    assert not breaker.admits()


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


def test_a_timeout_within_less_than_a_fair_time_is_no_failure() -> None:
    breaker = Breaker(1, fair_seconds=3.0)
    breaker.timed_out(0.2)
    assert breaker.admits()


def test_a_timeout_within_a_fair_time_is_a_failure() -> None:
    breaker = Breaker(1, fair_seconds=3.0)
    breaker.timed_out(3.0)
    assert not breaker.admits()


def test_a_trial_that_says_nothing_lets_the_next_caller_try() -> None:
    clock = Clock()
    breaker = failing(clock, 3)
    clock.now = 31.0
    breaker.admits()
    breaker.undecided()
    assert breaker.admits()
