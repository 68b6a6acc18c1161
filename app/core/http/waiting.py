"""Long polls and event streams: how a request waits for a job without tying up the server.

A process serves only so many at once. Beyond that a long poll answers at once with what is known
and `Retry-After`, and a stream is refused with 503, so that waiting never starves reading.
"""

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar
from uuid import UUID

from flask import Response

from app.core.errors import Overloaded
from app.core.events import POLL_SECONDS, Listener

Thing = TypeVar("Thing")
Event = tuple[str, str, dict[str, Any]]
"""Name, id for resumption, data."""

COMMENT_SECONDS = 10.0
STREAM_SECONDS = 600.0


class Waiting:
    def __init__(self, listener: Listener, most: int) -> None:
        self._listener = listener
        self._slots = threading.BoundedSemaphore(most)

    def until(
        self, id: UUID, read: Callable[[], Thing], done: Callable[[Thing], bool], seconds: float
    ) -> Thing:
        """Read until `done`, at most `seconds`. Without a free slot, read once."""
        if not self._slots.acquire(blocking=False):
            return read()
        try:
            with self._listener.watching(id) as moved:
                return self._poll(read, done, moved, time.monotonic() + seconds)
        finally:
            self._slots.release()

    @staticmethod
    def _poll(
        read: Callable[[], Thing],
        done: Callable[[Thing], bool],
        moved: threading.Event,
        deadline: float,
    ) -> Thing:
        while True:
            moved.clear()
            thing = read()
            left = deadline - time.monotonic()
            if done(thing) or left <= 0:
                return thing
            moved.wait(min(left, POLL_SECONDS))

    def stream(
        self,
        id: UUID,
        read: Callable[[], Thing],
        tell: Callable[[Thing], Iterator[Event]],
        done: Callable[[Thing], bool],
        last_seen: str | None,
    ) -> Response:
        """Server-sent events (HTML standard, 9.2) until `done`. Raises Overloaded."""
        if not self._slots.acquire(blocking=False):
            raise Overloaded(retry_after=5)
        body = _Released(self._told(id, read, tell, done, last_seen), self._slots.release)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return Response(body, mimetype="text/event-stream", headers=headers)

    def _told(
        self,
        id: UUID,
        read: Callable[[], Thing],
        tell: Callable[[Thing], Iterator[Event]],
        done: Callable[[Thing], bool],
        last_seen: str | None,
    ) -> Generator[bytes, None, None]:
        ends, comment_at = time.monotonic() + STREAM_SECONDS, time.monotonic() + COMMENT_SECONDS
        with self._listener.watching(id) as moved:
            while time.monotonic() < ends:
                moved.clear()
                thing = read()
                for name, event_id, data in tell(thing):
                    if event_id != last_seen:
                        last_seen = event_id
                        body = json.dumps(data)
                        yield f"event: {name}\nid: {event_id}\ndata: {body}\n\n".encode()
                if done(thing):
                    return
                if time.monotonic() >= comment_at:
                    # Also how a client that went away is noticed.
                    comment_at = time.monotonic() + COMMENT_SECONDS
                    yield b": still working\n\n"
                moved.wait(POLL_SECONDS)


class _Released:
    """An iterator that gives its slot back when the server closes it, also if never started."""

    def __init__(self, chunks: Generator[bytes, None, None], release: Callable[[], None]) -> None:
        self._chunks, self._release = chunks, release
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._chunks.close()
            self._release()
