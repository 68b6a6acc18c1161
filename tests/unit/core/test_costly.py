"""Figures that take long to count are counted again after a rest."""

from collections.abc import Callable

import pytest

from app.core.db import costly
from app.core.db.costly import Costly


class Clock:
    """Stands still, but for what counting takes."""

    def __init__(self) -> None:
        self.now = 0.0

    def counting(self, seconds: float, value: int) -> Callable[[], int]:
        def count() -> int:
            self.now += seconds
            return value

        return count


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(costly.time, "monotonic", lambda: clock.now)
    return clock


def test_what_takes_little_is_counted_each_time(clock: Clock) -> None:
    figures: Costly[int] = Costly()
    figures.of("a", clock.counting(0.1, 1))
    assert figures.of("a", clock.counting(0.1, 2)) == 2


def test_what_takes_long_is_kept_for_fifty_times_as_long(clock: Clock) -> None:
    figures: Costly[int] = Costly()
    figures.of("a", clock.counting(2.0, 1))
    clock.now += 99.0
    assert figures.of("a", clock.counting(2.0, 2)) == 1
    clock.now += 2.0
    assert figures.of("a", clock.counting(2.0, 3)) == 3


def test_each_key_has_its_own(clock: Clock) -> None:
    figures: Costly[int] = Costly()
    figures.of("a", clock.counting(2.0, 1))
    assert figures.of("b", clock.counting(2.0, 2)) == 2


def test_so_many_are_kept_and_no_more(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costly, "MOST", 1)
    figures: Costly[int] = Costly()
    figures.of("a", clock.counting(2.0, 1))
    figures.of("b", clock.counting(2.0, 2))
    assert figures.of("a", clock.counting(2.0, 3)) == 3
