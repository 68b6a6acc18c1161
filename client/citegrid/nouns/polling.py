"""Waiting for something on the server to be finished, by reading it or the events of it."""

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from citegrid.calls import member
from citegrid.errors import StillRunning
from citegrid.transport.codec import decode
from citegrid.transport.event_stream import ServerEvent
from citegrid.transport.exchange import Pause, Steps

LONGEST_WAIT_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 1.0


class Pollable(Protocol):
    @property
    def finished(self) -> bool: ...


W = TypeVar("W", bound=Pollable)
E = TypeVar("E")


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


def read_event(
    made: Callable[..., E], whole: type[Any], progress: type[Any], event: ServerEvent
) -> E:
    """Reads one event of the stream of something: its state, how far it is, at last all of it.

    Raises UnusableAnswer.
    """
    data = event.json()
    if event.name == "completed":
        done = decode(whole, data)
        return made(event.name, event.id, done.status, done.progress, done)
    status = decode(str, member(data, "status"), "/status")
    known = decode(progress, data) if event.name == "progress" else None
    return made(event.name, event.id, status, known)
