"""What the whole service takes on one machine: processes, memory, and processor time to start.

    python -m bench.footprint [--quick] [--many 500] [--before CHECKOUT]

`citegrid-server up` runs on data of its own: at "ready", after four minutes in which nothing
happens, after 500 searches and after 500 pages read for their records, each followed by a rest.
Memory is the PSS of all processes (proc(5), smaps_rollup): what several share counts once. With
`--before`, another checkout with an environment of its own takes turns, and is the baseline.
"""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Any

import psutil

from bench.figures import Aim, compared, conclude, table

ROOT = Path(__file__).parents[1]
READY, DONE = "Service ready", "Press Ctrl-C to stop"
MOST_PROCESSES, MOST_MEGABYTES, MOST_CPU_SECONDS = 25, 700, 8
REST_SECONDS = 240.0
"""Longer than a reading child stays, and then what it was forked from."""
PATIENCE_SECONDS = 3600.0
LOOK_SECONDS = 10.0
SETTLED_CPU_SECONDS = 1.0
"""Between two looks: at rest it takes a third of that."""
NO_LIMIT = "1000000/minute"
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}}


@dataclass(frozen=True)
class Moment:
    """The service at one time; `servers` are the processes of Postgres and Redis among all."""

    processes: int
    servers: int
    megabytes: float
    cpu_seconds: float


class Service:
    """A running `citegrid-server up`."""

    def __init__(
        self,
        checkout: Path,
        home: Path,
        allowed: str,
        enter: Callable[[], None] | None = None,
    ) -> None:
        """`enter` is what its process does first, before it becomes the program."""
        self.log = home / "up.log"
        program = checkout / ".venv" / "bin" / "citegrid-server"
        command = [program, "up", "--data", home / "data", "--port", _free_port()]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                cwd=checkout,
                stdout=output,
                stderr=output,
                env={**os.environ, "EXTRACT_FETCH_ALLOW": allowed, "RATE_LIMIT_WRITE": NO_LIMIT},
                preexec_fn=enter,
            )

    def until(self, text: str) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while text not in self.log.read_text(errors="replace"):
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(self.log.read_text(errors="replace")[-2000:])
            time.sleep(0.05)

    def moment(self) -> Moment:
        processes = [psutil.Process(self.process.pid)]
        processes += processes[0].children(recursive=True)
        megabytes, cpu, servers = 0.0, 0.0, 0
        for process in processes:
            try:
                megabytes += process.memory_full_info().pss / 2**20
                times = process.cpu_times()
                # Of the dead only what their parents have waited for is known.
                cpu += times.user + times.system + times.children_user + times.children_system
                servers += process.name().startswith(("postgres", "redis", "valkey"))
            except psutil.NoSuchProcess:
                continue
        return Moment(len(processes), servers, megabytes, cpu)

    def settle(self) -> None:
        """Return when it has done what it does after a start, such as filling in vectors."""
        spent, before = self.moment().cpu_seconds, 0.0
        while spent - before > SETTLED_CPU_SECONDS:
            time.sleep(LOOK_SECONDS)
            spent, before = self.moment().cpu_seconds, spent

    def ask(self, path: str, body: object = None) -> Any:
        text = self.log.read_text()
        found = {
            "url": re.search(r"running at (\S+)", text),
            "key": re.search(r"demo key +(\S+)", text),
        }
        url, key = (match[1] if match else "" for match in found.values())
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        request = urllib.request.Request(url + path, data, headers)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def search(self, count: int) -> float:
        """Milliseconds from POST to completed, the median."""
        spent = []
        for number in range(count):
            began = time.perf_counter()
            asked = self.ask("/external/v1/search", {"query": f"What happens to job {number}?"})
            while asked["status"] not in ("completed", "failed"):
                asked = self.ask(f"/external/v1/search/{asked['id']}?wait=30")
            spent.append(1000 * (time.perf_counter() - began))
        return median(spent)

    def extract(self, urls: list[str]) -> None:
        body = {"type": "extraction", "source": {"type": "urls", "urls": urls}, "schema": SCHEMA}
        job = self.ask("/v1/extract/jobs", body)
        while job["status"] not in ("completed", "failed", "cancelled"):
            time.sleep(0.5)
            job = self.ask(f"/v1/extract/jobs/{job['id']}")
        if job["status"] != "completed":
            raise RuntimeError(json.dumps(job))

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


class Shop(BaseHTTPRequestHandler):
    """One product a page."""

    def do_GET(self) -> None:
        found = re.fullmatch(r"/lamp-(\d+)\.html", self.path)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        if found:
            name = f"Lamp {found[1]}"
            text = f"<html><title>{name}</title><h1>{name}</h1><p>Price: ${found[1]}.50</p></html>"
            self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said."""


@contextmanager
def a_shop() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def measured(checkout: Path, many: int, rest_seconds: float) -> tuple[dict[str, Moment], float]:
    """The service at each time, and milliseconds of a search."""
    moments: dict[str, Moment] = {}
    with tempfile.TemporaryDirectory(prefix="citegrid-") as folder, a_shop() as address:
        home = Path(folder)
        home.chmod(0o711)
        service = Service(checkout, home, address)
        try:
            service.until(READY)
            moments["ready"] = service.moment()
            service.until(DONE)
            service.settle()
            time.sleep(rest_seconds)
            moments["idle"] = service.moment()
            searching = service.search(many)
            time.sleep(rest_seconds)
            moments["after searches"] = service.moment()
            service.extract([f"http://{address}/lamp-{number}.html" for number in range(many)])
            time.sleep(rest_seconds)
            moments["after pages"] = service.moment()
        finally:
            service.stop()
    return moments, searching


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--many", type=int, default=500, help="searches, and pages")
    parser.add_argument("--before", type=Path, help="another checkout, to compare with")
    given = parser.parse_args()
    many, rest_seconds = (5, 1.0) if given.quick else (given.many, REST_SECONDS)
    checkouts = {"before": given.before, "now": ROOT} if given.before else {"now": ROOT}
    rounds: dict[str, list[tuple[dict[str, Moment], float]]] = {name: [] for name in checkouts}
    for _ in range(1 if given.quick else given.rounds):
        for name, checkout in checkouts.items():
            rounds[name].append(measured(checkout.absolute(), many, rest_seconds))
            show(name, *rounds[name][-1])
    last, _ = rounds["now"][-1]
    aims = [
        Aim("processes at rest", last["idle"].processes, "<=", MOST_PROCESSES),
        Aim("MB of PSS at rest", last["idle"].megabytes, "<=", MOST_MEGABYTES),
        Aim("CPU seconds until ready", last["ready"].cpu_seconds, "<=", MOST_CPU_SECONDS),
    ]
    if given.before:
        now, before = ([spent for _, spent in rounds[name]] for name in ("now", "before"))
        aims.append(compared("a search", now, "the other checkout", before, "ms", "<=", 1.1))
    conclude("footprint", aims)


def show(name: str, moments: dict[str, Moment], searching: float) -> None:
    table(
        (name, "processes", "of servers", "PSS MB", "CPU s"),
        [
            (when, at.processes, at.servers, round(at.megabytes), round(at.cpu_seconds, 1))
            for when, at in moments.items()
        ],
    )
    print(f"a search takes {searching:.0f} ms, the median\n")


if __name__ == "__main__":
    main()
