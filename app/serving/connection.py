"""A client's connection: a socket that never blocks, and what is known of the request on it."""

import errno
import selectors
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from gunicorn import http
from gunicorn.workers.gthread import TConn

from app.core.errors import AppError
from app.serving import refusals
from app.serving.partial import PartialRequest

UNSENT_BYTES: Final = 8 << 20
"""Of one answer. Only a view that sends more than this waits for its client."""
WRITE_SECONDS: Final = 30.0
SLOWEST_BYTES_PER_SECOND: Final = 32 << 10
"""Each so many bytes that a client sends or takes buy it a second more."""
RECEIVE_BYTES: Final = 64 << 10
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class PatientSocket(socket.socket):
    """Does not block, whatever gunicorn sets; what the client does not take at once is kept."""

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(fileno=accepted.detach())
        super().setblocking(False)
        self.unsent = bytearray()

    def setblocking(self, flag: bool, /) -> None:
        """Gunicorn's threads ask for it before each request."""

    def settimeout(self, value: float | None, /) -> None:
        """As `setblocking`."""

    def receive(self) -> bytes | None:
        """Returns what came, b"" at the end, None when nothing is there now."""
        try:
            return super().recv(RECEIVE_BYTES)
        except BlockingIOError:
            return None

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        """For gunicorn's parser, which holds the whole request: nothing is left to wait for."""
        try:
            return super().recv(bufsize, flags)
        except BlockingIOError:
            raise ConnectionResetError(errno.ECONNRESET, "incomplete request") from None

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send or keep everything. Raises BrokenPipeError for a client that takes nothing."""
        sent = 0 if self.unsent else self._send_now(data)
        if sent == len(data):
            return
        self.unsent += memoryview(data)[sent:]
        deadline = time.monotonic() + WRITE_SECONDS
        while self.send_unsent() and len(self.unsent) > UNSENT_BYTES:
            self._wait_for_room(deadline)

    def send_unsent(self) -> bool:
        """Send what the client takes now; whether something is left."""
        del self.unsent[: self._send_now(self.unsent)]
        return bool(self.unsent)

    def _send_now(self, data: Any) -> int:
        try:
            return super().send(data)
        except BlockingIOError:
            return 0

    def _wait_for_room(self, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_WRITE)
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                raise BrokenPipeError(errno.EPIPE, "the client does not read")


class Connection(TConn):
    """A connection as gunicorn knows it, and what the poller must know beside it."""

    sock: PatientSocket

    def __init__(self, cfg: Any, sock: PatientSocket, client: Any, server: Any) -> None:
        super().__init__(cfg, sock, client, server)
        self.initialized = self.data_ready = True  # no thread waits for the first byte
        self.parser = http.get_parser(cfg, sock, client)
        self.partial = PartialRequest()
        self.keeps_open = False  # after the answer
        self.dropped = False  # closed and not counted any more
        self.counted_bytes = 0

    @property
    def held_bytes(self) -> int:
        return len(self.partial.data) + len(self.sock.unsent)

    def refuse(self, error: AppError) -> None:
        """Send an error before there is a request of which the application knows."""
        self.sock.sendall(refusals.answer(error))

    def invite_body(self) -> None:
        """Answer `Expect: 100-continue`: the poller does, for it receives the body."""
        if self.partial.expects:
            self.partial.expects = False
            with suppress(OSError):
                self.sock.send(CONTINUE)

    def give_to_parser(self) -> None:
        self.parser.unreader.unread(bytes(self.partial.data))
        self.partial.data = bytearray()

    def take_from_parser(self) -> bytes:
        """Returns what the client sent of its next request already."""
        rest: bytes = self.parser.unreader.take_buffered()
        return rest


Step = Callable[[Connection], object]


class ParkedConnection:
    """A connection that waits: for an event, the step that follows it, and until when."""

    __slots__ = ("event", "moved_bytes", "seconds", "since", "step")

    def __init__(self, event: int, step: Step, seconds: float) -> None:
        self.event, self.step, self.seconds = event, step, seconds
        self.since, self.moved_bytes = time.monotonic(), 0

    @property
    def expires_at(self) -> float:
        return self.since + self.seconds + self.moved_bytes / SLOWEST_BYTES_PER_SECOND
