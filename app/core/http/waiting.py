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

import psycopg
from flask import Response, request

from app.core import log
from app.core.errors import AppError, Overloaded
from app.core.events import POLL_SECONDS, Listener

logger = log.get(__name__)

Thing = TypeVar("Thing")
Event = tuple[str, str, dict[str, Any]]
"""Name, id for resumption, data."""

STREAM_SECONDS = 600.0


class Waiting:
    """One per process: `most` requests wait at once, streams comment every `comment_seconds`."""

    def __init__(self, listener: Listener, most: int, comment_seconds: float = 10.0) -> None:
        self._listener, self._comment_seconds = listener, comment_seconds
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
        """Server-sent events (HTML standard, 9.2) until `done`. Raises Overloaded.

        A stream also ends when it is old or when reading fails: whoever opens it again, with
        `Last-Event-ID`, goes on where it ended or is told with a status what is wrong.
        """
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if request.method == "HEAD":  # its body is never iterated, nor closed
            return Response(mimetype="text/event-stream", headers=headers)
        if not self._slots.acquire(blocking=False):
            raise Overloaded(retry_after=5)
        body = _Released(self._told(id, read, tell, done, last_seen), self._slots.release)
        return Response(body, mimetype="text/event-stream", headers=headers)

    def _told(
        self,
        id: UUID,
        read: Callable[[], Thing],
        tell: Callable[[Thing], Iterator[Event]],
        done: Callable[[Thing], bool],
        last_seen: str | None,
    ) -> Generator[bytes, None, None]:
        # The status line travels with the first chunk: if there is no event yet, a comment is.
        began = comment_at = time.monotonic()
        with self._listener.watching(id) as moved:
            while time.monotonic() < began + STREAM_SECONDS:
                moved.clear()
                try:
                    thing = read()
                except (AppError, psycopg.OperationalError) as error:
                    logger.info("stream ended", why=type(error).__name__)
                    return
                for event in tell(thing):
                    if event[1] != last_seen:
                        last_seen, comment_at = event[1], self._comment_at()
                        yield _written(event)
                if done(thing):
                    return
                if time.monotonic() >= comment_at:
                    # Also how a client that went away is noticed.
                    comment_at = self._comment_at()
                    yield b": still working\n\n"
                moved.wait(min(POLL_SECONDS, self._comment_seconds))

    def _comment_at(self) -> float:
        return time.monotonic() + self._comment_seconds


def _written(event: Event) -> bytes:
    name, id, data = event
    return f"event: {name}\nid: {id}\ndata: {json.dumps(data)}\n\n".encode()


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
