"""Long polls and event streams: how a request waits for a job without tying up the server.

A process serves only so many at once, and of them a share for each account and each address.
Beyond that a long poll answers at once with what is known and `Retry-After`, and a stream is
refused: 429 beyond one's share, 503 when the process is full. So waiting never starves reading,
and nobody's waiting starves another's.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from flask import Response, g, request
from marshmallow import Schema, validate

from app.core import log
from app.core.errors import AppError, Overloaded
from app.core.http.client_connection import Shutdown
from app.core.http.exports.slots import SlotStream
from app.core.http.fields import Seconds
from app.core.redis import limits
from app.core.redis.events import POLL_SECONDS, Listener

logger = log.get(__name__)

Thing = TypeVar("Thing")
Event = tuple[str, str, dict[str, Any]]
"""Name, id for resumption, data."""

STREAM_SECONDS = 600.0
RETRY_SECONDS = 5


def wait_until(state: str) -> Seconds:
    """The parameter `wait` of what is held until it is in this state."""
    return Seconds(
        load_default=0.0,
        validate=validate.Range(0, 30),
        description=f"Hold the answer up to so many seconds until it is {state}.",
    )


class WaitIn(Schema):
    """The query of operations with a final state."""

    wait = wait_until("final")


class TooManyStreams(AppError):
    """Your account or address has too many waiting requests. Close one, or poll without waiting."""

    code, status, retryable = "too_many_streams", 429, True


@dataclass(frozen=True, slots=True)
class Shares:
    """Limits of waiting requests: in one process, of one account, from one address."""

    process: int
    account: int
    address: int


class RequestSlots:
    """Counts the requests that wait now."""

    def __init__(self, shares: Shares) -> None:
        self._shares, self._lock = shares, threading.Lock()
        self._taken: Counter[str] = Counter()

    def take(self) -> Callable[[], None]:
        """A slot for this request, and how to return it. Raises TooManyStreams, Overloaded."""
        holders = _holders(self._shares)
        with self._lock:
            for error, holder, most in holders:
                if self._taken[holder] >= most:
                    raise error(retry_after=RETRY_SECONDS)
            self._taken.update(holder for _, holder, _ in holders)
        return partial(self._release, [holder for _, holder, _ in holders])

    def _release(self, holders: list[str]) -> None:
        with self._lock:
            self._taken.subtract(holders)
            self._taken = +self._taken  # without those who hold none any more


def _holders(shares: Shares) -> list[tuple[type[AppError], str, int]]:
    """Whose shares the current request counts against, and the error when one is used up."""
    address = limits.network(request.remote_addr or "")
    holders: list[tuple[type[AppError], str, int]] = [
        (TooManyStreams, f"address {address}", shares.address),
        (Overloaded, "process", shares.process),
    ]
    if "caller" in g:
        account = f"account {g.caller.account_id}"
        holders.insert(0, (TooManyStreams, account, shares.account))
    return holders


class LongPolls:
    """One per process. Streams comment every `comment_seconds`."""

    def __init__(self, listener: Listener, shares: Shares, comment_seconds: float = 10.0) -> None:
        self._listener, self._comment_seconds = listener, comment_seconds
        self._slots = RequestSlots(shares)

    def until(
        self, id: UUID, read: Callable[[], Thing], done: Callable[[Thing], bool], seconds: float
    ) -> Thing:
        """Read until `done`, for `seconds` or until the process ends; once without a slot.

        Raises what the credential is refused with once it has ended.
        """
        try:
            release = self._slots.take()
        except (TooManyStreams, Overloaded):
            return read()
        try:
            with self._listener.watching(id) as moved:
                return self._poll(_identified(read), done, moved, time.monotonic() + seconds)
        finally:
            release()

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
            if done(thing) or left <= 0 or Shutdown.requested:
                return thing
            moved.wait(min(left, POLL_SECONDS))

    def stream(
        self,
        id: UUID,
        read: Callable[[], Thing],
        events_of: Callable[[Thing], Iterator[Event]],
        done: Callable[[Thing], bool],
        last_seen: str | None,
    ) -> Response:
        """Server-sent events (HTML standard, 9.2) until `done`. Raises TooManyStreams, Overloaded.

        A stream also ends when it is old, when its credential does, when reading fails, or when the
        process has to end: a client that reopens it, with `Last-Event-ID`, continues where it ended
        or gets a status that says what is wrong.
        """
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if request.method == "HEAD":  # its body is never iterated, nor closed
            return Response(mimetype="text/event-stream", headers=headers)
        release = self._slots.take()
        body = SlotStream(self._events(id, _identified(read), events_of, done, last_seen), release)
        return Response(body, mimetype="text/event-stream", headers=headers)

    def _events(
        self,
        id: UUID,
        read: Callable[[], Thing],
        events_of: Callable[[Thing], Iterator[Event]],
        done: Callable[[Thing], bool],
        last_seen: str | None,
    ) -> Generator[bytes, None, None]:
        # The status line travels with the first chunk: if there is no event yet, a comment is.
        began = comment_at = time.monotonic()
        with self._listener.watching(id) as moved:
            while time.monotonic() < began + STREAM_SECONDS and not Shutdown.requested:
                moved.clear()
                try:
                    thing = read()
                except (AppError, psycopg.OperationalError) as error:
                    logger.info("stream ended", why=type(error).__name__)
                    return
                for event in events_of(thing):
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


def _identified(read: Callable[[], Thing]) -> Callable[[], Thing]:
    """Reads for as long as the credential of this request is one."""
    identify: Callable[[], object] = g.get("identify", lambda: None)

    def identified() -> Thing:
        identify()
        return read()

    return identified


def _written(event: Event) -> bytes:
    name, id, data = event
    return f"event: {name}\nid: {id}\ndata: {json.dumps(data)}\n\n".encode()
