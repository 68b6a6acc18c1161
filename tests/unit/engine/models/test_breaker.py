"""The circuit breaker: three failures open it, a pause and one caller close it again."""

from dataclasses import dataclass

from app.engine.models.breaker import Breaker


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
    breaker.failed(retry_after=7)
    clock.now = 6.0
    assert not breaker.admits()
    clock.now = 7.5
    assert breaker.admits()
