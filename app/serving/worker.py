"""A gunicorn worker in which no thread waits for a client.

The poller (gunicorn's accept loop) reads each request until it is whole, then a thread takes it;
what the client does not take of its answer the poller sends. A connection that waits for its client
is *parked*. When a process is full, whoever was parked longest goes: a client in earnest is done
within milliseconds.
"""

import errno
import io
import logging
import selectors
import socket
import time
from functools import partial
from typing import Any, Final

from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import InvalidChunkSize, InvalidHeader
from gunicorn.workers.gthread import ThreadWorker

from app.core.errors import HeaderTooLarge, RequestTimeout
from app.core.http.client_connection import Shutdown
from app.serving import listeners
from app.serving.connection import WRITE_SECONDS, Connection, ParkedConnection, PatientSocket, Step
from app.serving.files import affordable_connections
from app.serving.partial import PartialRequest
from app.serving.refusals import ErrorSocket

READ_SECONDS: Final = 10.0
LINGER_SECONDS: Final = 2.0
HELD_BYTES: Final = 128 << 20
"""Of all requests that are arriving and answers that are leaving in a process."""
SWEEP_SECONDS: Final = 0.5
OUT_OF_FILES: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Patient(ThreadWorker):
    """Plain HTTP/1.1 over TCP; everything else is refused at start."""

    worker_connections: int
    sockets: list[Any]

    @classmethod
    def setup(cls) -> None:
        """Called by gunicorn's main process before it opens sockets."""
        listeners.hold_back()

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Called by gunicorn's main process before the first worker. Raises SystemExit."""
        if cfg.is_ssl or cfg.proxy_protocol != "off" or cfg.http_protocols != ["h1"]:
            raise SystemExit(
                f"{cls.__name__} serves plain HTTP/1.1: leave TLS, the PROXY protocol and HTTP/2"
                " to a proxy in front."
            )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cfg.set("sendfile", False)  # it would write past PatientSocket
        self.parked: dict[Connection, ParkedConnection] = {}  # in the order of parking
        self.busy = self.held_bytes = 0
        self._swept_at = 0.0
        self._stopped_at: float | None = None

    def init_process(self) -> None:
        self.worker_connections = min(
            self.worker_connections, affordable_connections(self.cfg.threads)
        )
        self.log.error_log.addFilter(_without_content)
        super().init_process()

    # Starting and stopping

    def run(self) -> None:
        if self.alive:  # it may have been asked to end while it loaded the application
            listeners.open_all(self.sockets, self.cfg.backlog, self.log)
        super().run()

    def handle_exit(self, sig: int, frame: Any) -> None:
        Shutdown.requested = True
        super().handle_exit(sig, frame)

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled and self.alive and self.busy < self.cfg.threads)
        if not self.alive:
            closing, self.sockets = self.sockets, []
            listeners.close_all(closing, self.cfg.backlog, self.accept)

    # Receiving

    def accept(self, listener: Any) -> bool:
        try:
            sock, address = listener.accept()
            conn = Connection(self.cfg, PatientSocket(sock), address, listener.getsockname())
        except OSError as error:
            if error.errno in OUT_OF_FILES:
                self._drop_oldest()
            return False
        self.nr_conns += 1
        self._take_step(conn, partial(self._begin, ahead=b""))
        return True

    def _begin(self, conn: Connection, ahead: bytes) -> None:
        """Receive a request of which `ahead` is here already."""
        self._unpark(conn)
        conn.partial = PartialRequest(ahead)
        if not (ahead and self._hand_over(conn)) and not self._receive(conn):
            self._park(conn, selectors.EVENT_READ, self._receive, READ_SECONDS)

    def _receive(self, conn: Connection) -> bool:
        """Take what came; whether the connection is a thread's now, or gone."""
        data = conn.sock.receive()
        if data is None:
            return False
        if not data:
            self._drop(conn)
            return True
        conn.partial.data += data
        self._moved(conn, len(data))
        return conn.dropped or self._hand_over(conn)

    def _hand_over(self, conn: Connection) -> bool:
        if not conn.partial.is_complete():
            conn.invite_body()
            return False
        self._unpark(conn)
        if conn.partial.endless:
            conn.refuse(HeaderTooLarge())
            self._close(conn)
            return True
        conn.give_to_parser()
        self.busy += 1
        if self.busy >= self.cfg.threads:  # another process may have a free thread
            self.set_accept_enabled(False)
        self.enqueue_req(conn)
        return True

    # In a thread

    def handle_request(self, req: Any, conn: Connection) -> bool:
        """Refuse what gunicorn would leave to the view, then let the view answer."""
        if req.version >= (1, 1) and not any(name == "HOST" for name, _ in req.headers):
            raise InvalidHeader("HOST", req=req)  # RFC 9112, 3.2
        req._expected_100_continue = False  # the poller saw to it
        if isinstance(req.body.reader, ChunkedReader):
            _take_chunks(req, conn)
        kept: bool = super().handle_request(req, conn)
        return kept

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """As gunicorn's, but what the client gets is an error like any other."""
        super().handle_error(req, ErrorSocket(client), addr, exc)

    # Answering

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """Back in the poller, when the view has ended."""
        self.busy -= 1
        conn.keeps_open = not fs.cancelled() and not fs.exception() and bool(fs.result())
        if conn.sock.fileno() < 0:
            self._drop(conn)
        elif conn.sock.unsent:
            self._park(conn, selectors.EVENT_WRITE, self._send, WRITE_SECONDS)
        else:
            self._take_step(conn, self._after_answer)

    def _send(self, conn: Connection) -> None:
        before = len(conn.sock.unsent)
        left = conn.sock.send_unsent()
        self._moved(conn, before - len(conn.sock.unsent))
        if not (left or conn.dropped):
            self._after_answer(conn)

    def _after_answer(self, conn: Connection) -> None:
        self._unpark(conn)
        if not conn.keeps_open:
            self._close(conn)
        elif ahead := conn.take_from_parser():
            self._begin(conn, ahead)
        else:
            following = partial(self._begin, ahead=b"")
            self._park(conn, selectors.EVENT_READ, following, self.cfg.keepalive)

    def _close(self, conn: Connection) -> None:
        """Half at first: with unread bytes of the client a reset would destroy the answer."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
        else:
            self._park(conn, selectors.EVENT_READ, self._drain, LINGER_SECONDS)

    def _drain(self, conn: Connection) -> None:
        if conn.sock.receive() == b"":
            self._drop(conn)

    # Waiting for clients

    def _park(self, conn: Connection, event: int, step: Step, seconds: float) -> None:
        self.poller.register(conn.sock, event, partial(self._on_event, conn))
        self.parked[conn] = ParkedConnection(event, step, seconds)
        self._moved(conn, 0)

    def _unpark(self, conn: Connection) -> None:
        if self.parked.pop(conn, None) is not None:
            self.poller.unregister(conn.sock)
            self.held_bytes -= conn.counted_bytes
            conn.counted_bytes = 0

    def _on_event(self, conn: Connection, _sock: object) -> None:
        if conn in self.parked:  # it may have been dropped by what came before in the same batch
            self._take_step(conn, self.parked[conn].step)

    def _take_step(self, conn: Connection, step: Step) -> None:
        """A connection that its client has broken is dropped; it must not end the process."""
        try:
            step(conn)
        except OSError:
            self._drop(conn)

    def _moved(self, conn: Connection, count: int) -> None:
        """Account for bytes of a parked connection, and make room where they were too many."""
        if (parked := self.parked.get(conn)) is None:
            return
        parked.moved_bytes += count
        self.held_bytes += conn.held_bytes - conn.counted_bytes
        conn.counted_bytes = conn.held_bytes
        while self.held_bytes > HELD_BYTES or self.nr_conns >= self.worker_connections:
            if not self._drop_oldest():
                break

    def _drop_oldest(self) -> bool:
        if not self.parked:
            return False
        self._drop(next(iter(self.parked)))
        return True

    def _drop(self, conn: Connection) -> None:
        self._unpark(conn)
        self.nr_conns -= not conn.dropped
        conn.dropped = True
        conn.close()

    def murder_pending(self) -> None:
        """Gunicorn calls this after each batch of events: close what waited too long."""
        now = time.monotonic()
        if now < self._swept_at + SWEEP_SECONDS:
            return
        self._swept_at = now
        if not self.alive and self._stopped_at is None:
            self._stopped_at = now
        for conn, parked in list(self.parked.items()):
            if self._is_expired(parked, now):
                if parked.step == self._receive and conn.partial.data:
                    self._take_step(conn, lambda conn: conn.refuse(RequestTimeout()))
                self._drop(conn)

    def _is_expired(self, parked: ParkedConnection, now: float) -> bool:
        """A stopping process does not wait for half a request.

        A kept connection stays as long as ever: a proxy that sends one more request on it, as it
        closes, would not know whether that was answered.
        """
        if self._stopped_at is not None and parked.step == self._receive:
            return now > max(parked.since, self._stopped_at) + LINGER_SECONDS
        return now > parked.expires_at


def _without_content(record: logging.LogRecord) -> bool:
    """Gunicorn quotes a malformed request, and a malformed credential is a secret still."""
    if isinstance(record.msg, str) and record.msg.startswith("Invalid request from "):
        record.msg = record.msg.partition(": ")[0]
    return True


class _Refused(io.BytesIO):
    """The body of a request that the application refuses by its length; the rest is not awaited."""

    failed = True  # so gunicorn does not reuse the connection


def _take_chunks(req: Any, conn: Connection) -> None:
    """Decode a chunked body here, where gunicorn makes a malformed one a 400, not in the view."""
    if conn.partial.too_large:
        req.body = _Refused()
        req.headers = [field for field in req.headers if field[0] != "TRANSFER-ENCODING"]
        req.headers.append(("CONTENT-LENGTH", str(conn.partial.body_bytes)))
        return
    try:
        req.body = io.BytesIO(req.body.read())
    except ConnectionResetError:  # not whole after all, so it was handed over to be refused
        raise InvalidChunkSize(b"") from None
