"""Waiting for something on the server to be finished, by reading it."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from citegrid.errors import StillRunning
from citegrid.transport.exchange import Pause, Steps

LONGEST_WAIT_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 1.0


class Pollable(Protocol):
    @property
    def finished(self) -> bool: ...


W = TypeVar("W", bound=Pollable)


def until_finished(
    id: str,
    read: Callable[[float], Steps[W]],
    clock: Callable[[], float],
    timeout: float | None,
) -> Steps[W]:
    """Read, each time held for as long as the server allows, until it is finished.

    Raises StillRunning after `timeout` seconds.
    """
    deadline = None if timeout is None else clock() + timeout
    while True:
        left = LONGEST_WAIT_SECONDS if deadline is None else max(deadline - clock(), 0.0)
        held = round(min(left, LONGEST_WAIT_SECONDS), 3)
        asked_at = clock()
        work = yield from read(held)
        if work.finished:
            return work
        if deadline is not None and clock() >= deadline:
            raise StillRunning(id)
        if clock() - asked_at < min(held, PAUSE_SECONDS):
            yield Pause(PAUSE_SECONDS)  # the server has no room for one more who waits
