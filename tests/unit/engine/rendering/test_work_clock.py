"""The clock of a browser stands still while the machine gives it no processor."""

import pytest

from app.engine.rendering.browser import Usage
from app.engine.rendering.work_clock import WorkClock


def counted(*usages: Usage) -> float:
    clock = WorkClock()
    for usage in usages:
        clock.tick(0.25, usage)
    return clock.seconds


def test_a_browser_that_gets_no_processor_has_no_time_pass() -> None:
    assert counted(*[Usage(working=True)] * 400) == 0


def test_a_browser_that_computes_has_its_own_seconds_pass() -> None:
    assert counted(
        *(Usage(cpu_seconds=0.1 * n, working=True) for n in range(1, 11))
    ) == pytest.approx(1)


def test_a_browser_that_does_nothing_has_time_pass() -> None:
    assert counted(*[Usage()] * 4) == pytest.approx(1)


def test_a_process_that_ended_takes_no_time_back() -> None:
    before, after = Usage(cpu_seconds=3, working=True), Usage(cpu_seconds=1, working=True)
    assert counted(before, after) == 3
