"""Where the time of one job alone goes, by steps; Celery and Procrastinate in turns with it.

Points in time are taken in the processes themselves; all read the same clock. Medians.
"""

import os
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

from app.core import db
from bench import figures
from bench.jobs import CELERY, ORDINARY_NAME, PROCRASTINATE, drain, latencies
from bench.machine import Machine, machine
from bench.queues import steps
from bench.queues.board import Board
from bench.queues.engines import BareCelery, Engine, Procrastinate, Product, start_product
from bench.queues.kinds import ORDINARY

STEPS: tuple[tuple[str, str, int, str, int], ...] = (
    ("submit, until its commit is on disk", "submit", 0, "submit", 1),
    ("wake-up: from the commit to the dispatcher", "submit", 1, "send", 0),
    ("send", "send", 0, "send", 1),
    ("Celery and Redis: from sent to the child", "send", 1, "run", 0),
    ("claim", "claim", 0, "claim", 1),
    ("finish, until its commit is on disk", "finish", 0, "finish", 1),
    ("until it is claimed", "submit", 0, "claim", 1),
    ("in all", "submit", 0, "finish", 1),
)


class Traced(Product):
    def submit(self, slot: int) -> None:
        began = time.monotonic()
        super().submit(slot)
        steps.note("submit", began, time.monotonic())


def main() -> None:
    wanted = figures.arguments(__doc__, rounds=6)
    rounds, few = (1, 10) if wanted.quick else (wanted.rounds, 60)
    with machine(wanted.folder) as servers:
        path = servers.home / "trace"
        taken = measure(servers, path, rounds, few)
        disk = figures.fdatasync_us(servers.home)
        points = steps.notes(path)
    print(f"one fdatasync takes {disk:.0f} us here\n")
    figures.table(("step", "p50 us"), [(step[0], spent(points, *step[1:])) for step in STEPS])
    figures.table(
        ("one job alone", "p50 ms"),
        [(name, median(found) * 1e3) for name, found in taken.items()],
    )
    ours = [1e3 * x for x in taken[ORDINARY_NAME]]
    aims = [
        figures.compared(
            "one job alone, p50", ours, name, [1e3 * x for x in taken[name]], "ms", "<=", bound
        )
        for name, bound in ((CELERY, 1.5), (PROCRASTINATE, 1.0))
    ]
    figures.conclude("latency", aims, fdatasync_us=disk)


def measure(servers: Machine, path: Path, rounds: int, few: int) -> dict[str, list[float]]:
    """Median seconds of each round; the steps of the product's jobs are in the file `path`."""
    os.environ[steps.VARIABLE] = str(path)
    board = Board(servers.home / "board", slots=500)
    start_product(servers, module="bench.queues.traced")
    engines: list[Engine] = [
        BareCelery(servers),
        Procrastinate(servers),
        Traced(ORDINARY_NAME, ORDINARY),
    ]
    taken: dict[str, list[float]] = {engine.name: [] for engine in engines}
    try:
        for engine in engines:
            drain(servers, board, engine, range(100), patience=60)  # warm
        time.sleep(1)  # a dispatcher that was busy goes back to sleep
        path.unlink(missing_ok=True)
        for _ in range(rounds):
            for engine in engines:
                found = latencies(servers, board, engine, range(few))
                taken[engine.name].append(median(found))
    finally:
        db.close()
    return taken


def spent(
    points: dict[str, list[tuple[float, float]]], first: str, at: int, last: str, until: int
) -> float:
    """Microseconds from one end of a step to one of another, of the same job."""
    began = [step[at] for step in points[first]]
    ended = sorted(step[until] for step in points[last])
    submits = [*sorted(step[0] for step in points["submit"]), float("inf")]
    found = []
    for since, before in pairwise(submits):
        ours = [t for t in began if since <= t < before]
        theirs = [t for t in ended if since <= t < before]
        if len(ours) == len(theirs) == 1:
            found.append((theirs[0] - ours[0]) * 1e6)
    return median(found)


if __name__ == "__main__":
    main()
