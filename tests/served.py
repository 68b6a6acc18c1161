"""The server as it is deployed, with one process, over the application of tests.stand_in."""

import os
import re
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from app.core.config.settings import environment
from app.local.embedded.supervisor import Program
from tests import servers
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port

ROOT = Path(__file__).parents[1]
THREADS = 16
LARGE = bytes(range(256)) * (4 << 12)  # 4 MiB
SETTINGS = {  # which the configuration reads; nothing connects
    "DATABASE_URL": "postgresql:///none",
    "REDIS_URL": "redis://127.0.0.1:1",
    "SECRET_KEY": "x" * 32,
}
HEALTHZ = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    port: int
    program: Program

    @property
    def log(self) -> str:
        return self.program.log.read_text(encoding="utf-8")

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS)

    def reset(self, data: bytes) -> None:
        """Send `data` and break the connection off: what is left to send or read is lost."""
        with self.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(data)

    def exchange(self, *parts: bytes) -> bytes:
        """What is answered to all `parts`, sent one by one, until the connection ends."""
        with self.connect() as client:
            for part in parts:
                client.sendall(part)
            return received(client)

    def status(self, *parts: bytes) -> int:
        """Of the first answer."""
        with self.connect() as client:
            for part in parts:
                client.sendall(part)
            return status(received(client, 1))


def received(client: socket.socket, answers: int = 1 << 30) -> bytes:
    """All that comes until so many answers began, or the connection ended."""
    data = b""
    with suppress(ConnectionError):
        while data.count(b"HTTP/1.1 ") < answers and (more := client.recv(65536)):
            data += more
    return data


def received_until(client: socket.socket, wanted: bytes) -> bytes:
    data = b""
    while wanted not in data and (more := client.recv(65536)):
        data += more
    return data


def status(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found[1]) if found else 0


@contextmanager
def served(worker_class: str = "", **options: object) -> Iterator[Served]:
    """Started with the deployment's configuration; `options` are gunicorn's."""
    port = free_port()
    with servers.folder() as home:
        given = {"workers": 1, "threads": THREADS, "bind": f"127.0.0.1:{port}", **options}
        if worker_class:
            given["worker_class"] = worker_class
        words = [f"--{name.replace('_', '-')} {value}" for name, value in given.items()]
        program = Program(
            "served",
            "gunicorn -c deploy/gunicorn.conf.py tests.stand_in:app",
            log=home / "served.log",
            folder=ROOT,
            environment={
                **environment(),
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment()['PATH']}",
                **SETTINGS,
                "GUNICORN_CMD_ARGS": " ".join(words),
                "PYTHONWARNINGS": "ignore",
            },
        )
        running = Served(port, program)
        try:
            program.start()
            servers.until(lambda: answers(running))
            yield running
        finally:
            program.kill()


def answers(running: Served) -> bool:
    try:
        return running.status(HEALTHZ) == 200
    except OSError:
        return False
