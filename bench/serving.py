"""What it costs that slow clients cannot stop the API: our worker class beside gunicorn's gthread.

Both with the deployment's configuration and one process over the same tiny view, in turns, with the
same 16 connections. The processor time a request takes is compared; the clock only beside it.
"""

import os
import socket
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import psutil

from app.local.embedded.children import spawn, tail
from bench import figures
from bench.load import Load, post
from bench.machine import BIN, ROOT

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

OURS: Final = "app.serving.worker.Patient"
PLAIN: Final = "gthread"
CONNECTIONS: Final = 16
BODY: Final = b'{"query": "How does a durable queue survive a restart?"}'
SETTINGS: Final = {
    "DATABASE_URL": "postgresql:///none",
    "REDIS_URL": "redis://127.0.0.1:1",
    "SECRET_KEY": "x" * 32,
}


def view(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Nothing but HTTP: what a worker costs is the more visible."""
    length = len(environ["wsgi.input"].read())
    start_response("202 Accepted", [("Content-Length", "3")])
    return [b"%03d" % length]


def main() -> None:
    options = figures.arguments(__doc__, rounds=9)
    rounds, seconds = (1, 1.0) if options.quick else (options.rounds, 2.0)
    with TemporaryDirectory() as home:
        log = Path(home) / "gunicorn.log"
        servers = {name: _Server(name, log) for name in (PLAIN, OURS)}
        try:
            measured = measure(servers, rounds, seconds)
        finally:
            for server in servers.values():
                server.stop()
    report(measured, rounds)


def measure(
    servers: dict[str, "_Server"], rounds: int, seconds: float
) -> dict[str, list[tuple[float, Load]]]:
    """Microseconds of processor time per request, and the load, of each round."""
    measured: dict[str, list[tuple[float, Load]]] = defaultdict(list)
    for turn in range(-1, rounds):
        for name, server in servers.items():
            before = server.processor_seconds()
            load = post(server.port, "/", BODY, {}, connections=CONNECTIONS, seconds=seconds)
            spent = (server.processor_seconds() - before) / len(load.seconds) * 1e6
            if turn >= 0:  # the one before was to warm up
                measured[name].append((spent, load))
    return measured


class _Server:
    def __init__(self, worker_class: str, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        command: list[str | Path] = [
            BIN / "gunicorn", "-c", "deploy/gunicorn.conf.py", "--workers", "1",
            "--bind", f"127.0.0.1:{self.port}", "--worker-class", worker_class,
            "bench.serving:view",
        ]  # fmt: skip
        self._process = spawn(command, log=log, environment=os.environ | SETTINGS, folder=ROOT)
        deadline = time.monotonic() + 30
        while not self._answers():
            if time.monotonic() > deadline:
                self.stop()
                sys.exit(f"{worker_class} does not answer\n{tail(log, 20)}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def processor_seconds(self) -> float:
        children = psutil.Process(self._process.pid).children()
        return sum(sum(child.cpu_times()[:2]) for child in children)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


def report(measured: dict[str, list[tuple[float, Load]]], rounds: int) -> None:
    spent = {name: [one for one, _ in rows] for name, rows in measured.items()}
    figures.table(
        ("worker", "CPU us/request", "x gthread", "req/s", "p50 ms", "p99 ms"),
        [
            (
                name,
                median(spent[name]),
                figures.paired(spent[name], spent[PLAIN]),
                median(load.per_second for _, load in rows),
                *(
                    median(figures.percentile(load.seconds, share) * 1e3 for _, load in rows)
                    for share in (0.5, 0.99)
                ),
            )
            for name, rows in measured.items()
        ],
    )
    figures.conclude(
        "serving",
        [
            figures.compared(
                "CPU per empty request", spent[OURS], "gthread", spent[PLAIN], "us", "<=", 1.25
            )
        ],
        rounds=rounds,
        cpu_us=spent,
    )


if __name__ == "__main__":
    main()
