"""What one core does: processor time of each request, by process, and the memory of each process.

`python -m bench.capacity.costs [--quick] [--report PAGE]` starts the whole service as `make run`
does, which indexes its own documentation, and counts the processor time that its processes spend.
That is the same on a busy machine; how long somebody waited is not.
"""

import argparse
import http.client
import json
import math
import socket
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psutil

from app.core.config.settings import environment
from app.local.embedded.children import tail
from bench import figures
from bench.capacity import report
from bench.machine import BIN

SEARCH = "/external/v1/search"
QUESTIONS = ("How do I add a second worker?", "What happens when a worker is killed?")
CLIENTS = 4
START_SECONDS = 300.0
LOOK_SECONDS, SETTLED_SHARE = 3.0, 0.1
"""It has nothing to do when it takes no more than so much of a core for so long."""
ROLES = ("web", "workers", "dispatcher", "Postgres", "Redis")
NAMES = {
    "gunicorn": "web",
    "celery": "workers",
    "workers.queue.dispatcher": "dispatcher",
    "postgres": "Postgres",
    "redis-server": "Redis",
}


class Service(NamedTuple):
    """A local run."""

    address: str
    api_key: str
    process: psutil.Process

    def call(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection(self.address, timeout=60)
        headers = {"X-API-Key": self.api_key, "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text.startswith(b"{") else None

    def processes(self) -> Iterator[tuple[str, psutil.Process]]:
        for process in self.process.children(recursive=True):
            try:
                line = " ".join(process.cmdline())
            except psutil.Error:
                continue
            for sign, role in NAMES.items():
                if sign in line:
                    yield role, process
                    break

    def cpu_seconds(self) -> Counter[str]:
        spent: Counter[str] = Counter()
        for role, process in self.processes():
            times = process.cpu_times()
            spent[role] += times.user + times.system
        return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument("--report", type=Path, help="the page that holds the tables")
    given = parser.parse_args()
    few, many = (8, 40) if given.quick else (200, 1_000)
    with service() as running:
        settle(running)
        search(running)
        acts: dict[str, tuple[int, Callable[[], Any]]] = {
            "search, from POST to its answer": (few, lambda: search(running)),
            "poll of a search": (many, poller(running)),
            "list of searches": (few, lambda: running.call("GET", SEARCH)),
            "scrape of /metrics": (few // 4, lambda: running.call("GET", "/metrics")),
        }
        costs = {name: cost(running, times, act) for name, (times, act) in acts.items()}
        idle = cost(running, 1, lambda: time.sleep(2 if given.quick else 20))
        memory = megabytes(running)
    conclude(given.report, costs, idle, 2 if given.quick else 20, memory)


@contextmanager
def service() -> Iterator[Service]:
    with tempfile.TemporaryDirectory(prefix="citegrid-") as home:
        Path(home).chmod(0o711)  # as root, Postgres runs under another account
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        no_limits = {"RATE_LIMIT_WRITE": "900000/second", "RATE_LIMIT_READ": "900000/second"}
        with open(f"{home}/log", "w") as log:
            child = subprocess.Popen(
                [BIN / "citegrid-server", "up", "--data", f"{home}/data", "--port", str(port)],
                env={**environment(), **no_limits},
                stdout=log,
                stderr=log,
            )
        try:
            yield ready(child, f"{home}/data")
        finally:
            child.terminate()
            child.wait(60)


def ready(child: subprocess.Popen[bytes], data: str) -> Service:
    """Once it answers a search."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and child.poll() is None:
        said = subprocess.run(
            [BIN / "citegrid-server", "status", "--data", data, "-o", "json"],
            capture_output=True,
            check=False,
        )
        facts = json.loads(said.stdout) if said.stdout.startswith(b"{") else {}
        if facts.get("status") == "ready" and "api_key" in facts:
            process = psutil.Process(child.pid)
            return Service(urlsplit(facts["url"]).netloc, facts["api_key"], process)
        time.sleep(1)
    raise RuntimeError(f"the service did not start\n{tail(Path(data).parent / 'log', 20)}")


def settle(running: Service) -> None:
    """Until its documentation is indexed by meaning, too: that computes for half a minute."""
    until, spent = time.monotonic() + START_SECONDS, math.inf
    while spent > SETTLED_SHARE * LOOK_SECONDS:
        if time.monotonic() > until:
            raise RuntimeError("the service computes without end")
        before = running.cpu_seconds().total()
        time.sleep(LOOK_SECONDS)
        spent = running.cpu_seconds().total() - before


def search(running: Service) -> None:
    made = running.call("POST", SEARCH, {"query": QUESTIONS[0]})
    path = f"{SEARCH}/{made['id']}?wait=30"
    while running.call("GET", path)["status"] not in ("completed", "failed"):
        pass


def poller(running: Service) -> Callable[[], Any]:
    made = running.call("POST", SEARCH, {"query": QUESTIONS[1]})
    return lambda: running.call("GET", f"{SEARCH}/{made['id']}")


def cost(running: Service, times: int, act: Callable[[], Any]) -> dict[str, float]:
    """Milliseconds of processor time of each role for one `act`."""
    before = running.cpu_seconds()
    with ThreadPoolExecutor(CLIENTS) as clients:
        for done in [clients.submit(act) for _ in range(times)]:
            done.result()
    after = running.cpu_seconds()
    return {role: (after[role] - before[role]) / times * 1e3 for role in ROLES}


def megabytes(running: Service) -> dict[str, list[float]]:
    """What each process holds for itself, with its share of what several have together (PSS)."""
    held: dict[str, list[float]] = defaultdict(list)
    for role, process in running.processes():
        held[role].append(process.memory_full_info().pss / 1e6)
    return held


def conclude(
    page: Path | None,
    costs: dict[str, dict[str, float]],
    idle: dict[str, float],
    seconds: int,
    memory: dict[str, list[float]],
) -> None:
    rows: list[tuple[str | float, ...]] = [
        (name, *(of[role] for role in ROLES), sum(of.values()), 1e3 / sum(of.values()))
        for name, of in costs.items()
    ]
    heads = ("ms of processor time", *ROLES, "in all", "a core does, per second")
    figures.table(heads, rows)
    shares: list[tuple[str | float, ...]] = [
        ("per cent of a core when idle", *(idle[role] / seconds / 10 for role in ROLES))
    ]
    figures.table(("nothing to do", *ROLES), shares)
    held = [
        (role, len(memory[role]), mean(memory[role]), max(memory[role]), sum(memory[role]))
        for role in ROLES
    ]
    sizes = ("memory, MB (PSS)", "processes", "mean", "largest", "together")
    figures.table(sizes, held)
    figures.conclude("capacity_costs", [], costs=costs, idle=idle, memory=memory)
    if page:
        tables = [
            report.table(heads, rows),
            report.table(("nothing to do", *ROLES), shares),
            report.table(sizes, held),
        ]
        report.write(page, "one core", "python -m bench.capacity.costs", tables)


if __name__ == "__main__":
    main()
