"""Clients that ask for a streamed chat, see its first words and read no more."""

import contextlib
import json
import socket
import threading
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from app.core import db, ids
from tests import servers
from tests.chatting import MODEL, Work, text
from tests.fault import report
from tests.fault.chatting import Stage
from tests.fault.stage import children
from tests.patience import PATIENCE_SECONDS

MEGABYTE: Final = 1 << 20
SEGMENT_BYTES: Final = 1000
"""As on the Internet; those of the loopback are so large that the kernel would keep megabytes."""
WINDOW_BYTES: Final = 4096


class Unread:
    """Its window is small, so what it does not read stays with the server."""

    def __init__(self, stage: Stage) -> None:
        url = urlsplit(stage.base)
        self._socket = socket.socket()
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_BYTES)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WINDOW_BYTES)
        self._socket.settimeout(PATIENCE_SECONDS)
        self._socket.connect((url.hostname, url.port))
        self._socket.sendall(_request(stage))
        self._read_until(b"\ndata: ")

    def __enter__(self) -> "Unread":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def rest(self) -> bytes:
        """All that the server still has for it."""
        return self._read_until(None)

    def _read_until(self, words: bytes | None) -> bytes:
        received = bytearray()
        while words is None or words not in received:
            piece = self._socket.recv(WINDOW_BYTES if words is None else 1)
            if not piece:
                break
            received += piece
        assert words is None or words in received, bytes(received)
        return bytes(received)


def _request(stage: Stage) -> bytes:
    body = {
        "model": MODEL,
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "provider_selection": stage.node.selection,
    }
    encoded = json.dumps(body).encode()
    head = [
        "POST /v1/chat/completions HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {stage.key}",
        "Content-Type: application/json",
        f"Content-Length: {len(encoded)}",
        "Connection: close",
    ]
    return "\r\n".join([*head, "", ""]).encode() + encoded


def test_clients_that_read_nothing_end_too_slow_and_memory_stays_flat(
    stage: Stage, long: bool
) -> None:
    waves, clients = (10, 20) if long else (2, 4)
    stage.node.script = pouring = Pouring()
    before, memory, began = private_bytes(stage), list[int](), ids.new()
    for wave in range(1, waves + 1):
        with contextlib.ExitStack() as reading_nothing:
            unread = [reading_nothing.enter_context(Unread(stage)) for _ in range(clients)]
            servers.until(lambda n=wave: ended_too_slow(began) == n * clients)  # type: ignore[misc]
            memory.append(private_bytes(stage) - before)
            rest = unread[0].rest()
            assert b'"client_too_slow"' in rest
            assert b"[DONE]" not in rest
    servers.until(lambda: pouring.stopped == waves * clients)
    report.notes.append(
        f"{waves * clients} clients that read nothing, {clients} at a time: all ended"
        f" `client_too_slow`; memory grew by {max(memory) / MEGABYTE:.1f} MB at most,"
        f" {pouring.bytes / MEGABYTE:.0f} MB were sent for them."
    )
    assert max(memory) < (16 + clients) * MEGABYTE


class Pouring:
    """A node's script that sends as fast as it can, until it is told to stop."""

    def __init__(self) -> None:
        self.stopped, self.bytes = 0, 0
        self._lock = threading.Lock()

    def __call__(self, work: Work) -> None:
        words = "word " * 8_000
        while True:
            status, answer = work.push(text(words))
            if status != 200 or answer["stop"]:
                break
            with self._lock:
                self.bytes += len(words)
        with self._lock:
            self.stopped += 1


def ended_too_slow(since: UUID) -> int:
    """Chats, all of which were charged for what had been sent."""
    sql = (
        "select count(*) from chats where id > %(since)s and ended = 'client_too_slow' and cost > 0"
    )
    with db.reading() as reader:
        return int(db.value(reader, sql, since=since))


def private_bytes(stage: Stage) -> int:
    """Of the processes that hold the clients."""
    lines = [
        line.split()
        for pid in children(stage.clients)
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    ]
    return sum(int(line[1]) << 10 for line in lines if line[0].startswith("Private_"))
