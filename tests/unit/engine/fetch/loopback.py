"""Servers on loopback, and fetchers whose every connection ends at one of them."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.engine.fetch import Fetcher, FetchFailed, FetchPolicy, Response
from app.engine.fetch.connection import Resolve
from tests.patience import PATIENCE_SECONDS

PAGE = "http://example.com/"
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
PUBLIC = "93.184.215.14"
POLICY = FetchPolicy(
    user_agent="Citegrid/test", total_seconds=90.0, read_seconds=90.0, connect_seconds=90.0
)


@dataclass
class Seen:
    """One request as it was on the wire."""

    line: str
    headers: dict[str, str]
    body: bytes
    scheme: str

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.headers['host']}{self.path}"

    @property
    def path(self) -> str:
        return self.line.split(" ")[1]


Answer = Callable[[Seen, socket.socket], None]


@dataclass
class Server:
    port: int
    seen: list[Seen] = field(default_factory=list)


@contextlib.contextmanager
def serving(answer: Answer, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server that reads a request and lets `answer` write whatever it likes.

    With `tls` it takes both, told apart by the first byte.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(listener.getsockname()[1])
    threads: list[threading.Thread] = []

    def one(conn: socket.socket) -> None:
        # A client that refuses an answer hangs up: no matter to the server.
        with contextlib.suppress(OSError), conn:
            conn.settimeout(PATIENCE_SECONDS)
            scheme, line = "http", conn
            if tls is not None and conn.recv(1, socket.MSG_PEEK) == b"\x16":
                scheme, line = "https", tls.wrap_socket(conn, server_side=True)
            with line:
                request = _read_request(line, scheme)
                if request is not None:
                    server.seen.append(request)
                    answer(request, line)

    def loop() -> None:
        while True:
            try:
                conn, _ = listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=one, args=(conn,), daemon=True)
            threads.append(thread)
            thread.start()

    accepting = threading.Thread(target=loop, daemon=True)
    accepting.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join(PATIENCE_SECONDS)
        for thread in threads:
            thread.join(PATIENCE_SECONDS)


def _read_request(line: socket.socket, scheme: str) -> Seen | None:
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = line.recv(4096)
        if not chunk:
            return None
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (h.partition(":") for h in rest)}
    while len(body) < int(headers.get("content-length", "0")):
        body += line.recv(4096)
    return Seen(first, headers, body, scheme)


def reply(
    line: socket.socket,
    body: bytes = b"hello",
    *,
    status: str = "200 OK",
    media_type: str | None = "text/plain",
    headers: Sequence[str] = (),
) -> None:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    if media_type is not None:
        lines.append(f"Content-Type: {media_type}")
    line.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)


def always(body: bytes = b"hello", **how: object) -> Answer:
    return lambda _, line: reply(line, body, **how)  # type: ignore[arg-type]


def redirect(location: str, status: str = "302 Found") -> Answer:
    return always(b"", status=status, headers=[f"Location: {location}"])


def by_path(pages: dict[str, Answer]) -> Answer:
    return lambda seen, line: pages[seen.path](seen, line)


@dataclass
class Wires:
    """A fetcher's two seams: every name has a made-up address, every address leads to loopback."""

    port: int
    dns: dict[str, Any] = field(default_factory=dict)
    lookups: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)

    def resolve(self, host: str, timeout_seconds: float) -> Any:
        """One list for each lookup in turn, the last one repeated; or one list for all."""
        answers = self.dns.get(host, [PUBLIC])
        earlier = self.lookups.count(host)
        self.lookups.append(host)
        if answers and isinstance(answers[0], list):
            return answers[min(earlier, len(answers) - 1)]
        return answers

    def connect(self, address: str, port: int, timeout_seconds: float) -> socket.socket:
        self.dialled.append((address, port))
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout_seconds)

    def fetcher(
        self,
        policy: FetchPolicy = POLICY,
        *,
        tls: ssl.SSLContext | None = None,
        resolve: Resolve | None = None,
    ) -> Fetcher:
        return Fetcher(policy, resolve=resolve or self.resolve, connect=self.connect, tls=tls)


def response_of(answer: Answer, policy: FetchPolicy = POLICY, url: str = PAGE) -> Response:
    with serving(answer) as server:
        return Wires(server.port).fetcher(policy).get(url)


def reason_of(answer: Answer, policy: FetchPolicy = POLICY, url: str = PAGE) -> str:
    with pytest.raises(FetchFailed) as caught:
        response_of(answer, policy, url)
    return caught.value.reason


def raw(data: bytes) -> Answer:
    return lambda _, line: line.sendall(data)
