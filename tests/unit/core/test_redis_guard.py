"""Redis through its guard: left alone after a failure, and tried again by one caller."""

from dataclasses import dataclass

import redis

from app.core.redis.guard import RedisGuard


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def failing() -> int:
    raise redis.ConnectionError


def test_after_a_failure_redis_is_left_alone() -> None:
    guard = RedisGuard("test", Clock())
    guard.ask(failing)
    assert guard.ask(lambda: 1) is None


def test_a_second_after_a_failure_one_caller_tries_again() -> None:
    clock = Clock()
    guard = RedisGuard("test", clock)
    guard.ask(failing)
    clock.now = 1.1
    # While the one asks, the other is not let through.
    assert guard.ask(lambda: (guard.ask(lambda: "second"), "first")) == (None, "first")


def test_after_an_answer_everybody_asks_again() -> None:
    clock = Clock()
    guard = RedisGuard("test", clock)
    guard.ask(failing)
    clock.now = 1.1
    assert [guard.ask(lambda: 1), guard.ask(lambda: 2)] == [1, 2]
