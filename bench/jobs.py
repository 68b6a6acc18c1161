"""Jobs that do nothing, through the product, bare Celery and Procrastinate, in turns.

Drain: so many jobs become visible at once to warm workers; counted from the tenth to the last.
Latency: one job at a time on an idle system, from before the submit until it is done. For the
product done means that the finishing transaction has committed; the others say it themselves, from
inside the job, before they acknowledge or record anything.
"""

import time
from collections import defaultdict
from statistics import median

from app.core import db
from bench import figures
from bench.figures import Aim
from bench.machine import Machine, machine
from bench.queues.board import Board
from bench.queues.engines import BareCelery, Engine, Procrastinate, Product, start_product
from bench.queues.kinds import ORDINARY, SHORT

CELERY, PROCRASTINATE = BareCelery.name, Procrastinate.name
ORDINARY_NAME, SHORT_NAME = "ours, ordinary kind", "ours, short kind (16 ids a message)"
PAUSE_SECONDS = 0.02

Round = dict[str, float]


def main() -> None:
    asked = figures.arguments(__doc__, rounds=7)
    rounds, many, few = (1, 150, 8) if asked.quick else (asked.rounds, 3000, 150)
    with machine(asked.folder) as servers:
        measured = measure(servers, rounds, many, few)
        disk = figures.fdatasync_us(servers.home)
    report(measured, disk, {"rounds": rounds, "drained": many, "one_by_one": few})


def measure(servers: Machine, rounds: int, many: int, few: int) -> dict[str, list[Round]]:
    """Per engine and round: drain/s, p50 and p99 milliseconds."""
    board = Board(servers.home / "board", slots=many)
    start_product(servers)
    engines: list[Engine] = [
        BareCelery(servers),
        Procrastinate(servers),
        Product(ORDINARY_NAME, ORDINARY),
        Product(SHORT_NAME, SHORT),
    ]
    found: dict[str, list[Round]] = defaultdict(list)
    try:
        for engine in engines:
            drain(servers, board, engine, range(min(many, 500)), patience=60)  # warm
        for _ in range(rounds):
            for engine in engines:
                speed = drain(servers, board, engine, range(many))
                taken = latencies(servers, board, engine, range(few))
                p50, p99 = (figures.percentile(taken, share) * 1e3 for share in (0.5, 0.99))
                found[engine.name].append({"drain": speed, "p50": p50, "p99": p99})
    finally:
        db.close()
    return found


def drain(
    servers: Machine, board: Board, engine: Engine, slots: range, patience: float = 120
) -> float:
    """Jobs per second, from a tenth of `slots` done to all."""
    board.clear()
    engine.submit_all(slots)
    wait(servers, board, engine, slots, patience, look_every=0.02)
    times = sorted(board.done(slots))
    first = len(times) // 10
    return (len(times) - 1 - first) / (times[-1] - times[first])


def latencies(servers: Machine, board: Board, engine: Engine, slots: range) -> list[float]:
    """Seconds from submit to done, one job at a time with a pause in between."""
    board.clear()
    taken = []
    for slot in slots:
        began = time.monotonic()
        engine.submit(slot)
        wait(servers, board, engine, range(slot, slot + 1), 20, look_every=0.005)
        taken.append(board.done(range(slot, slot + 1))[0] - began)
        time.sleep(PAUSE_SECONDS)
    return taken


def wait(
    servers: Machine, board: Board, engine: Engine, slots: range, seconds: float, look_every: float
) -> None:
    until = time.monotonic() + seconds
    while (done := len(board.done(slots))) < len(slots):
        if time.monotonic() > until:
            raise servers.complain(f"{engine.name}: {done} of {len(slots)} jobs done")
        time.sleep(look_every)


def report(measured: dict[str, list[Round]], disk: float, facts: dict[str, int]) -> None:
    def ratio(what: str, name: str, baseline: str = CELERY) -> float:
        return figures.paired(
            [r[what] for r in measured[name]], [r[what] for r in measured[baseline]]
        )

    print(f"{facts}, one fdatasync takes {disk:.0f} us here\n")
    figures.table(
        ("engine", "drain/s", "x Celery", "p50 ms", "x Celery", "p99 ms"),
        [
            (
                name,
                median(r["drain"] for r in found),
                ratio("drain", name),
                median(r["p50"] for r in found),
                ratio("p50", name),
                median(r["p99"] for r in found),
            )
            for name, found in measured.items()
        ],
    )

    def aim(what: str, key: str, name: str, baseline: str, bound: str, to_keep: float) -> Aim:
        ours, theirs = ([r[key] for r in measured[each]] for each in (name, baseline))
        unit = "jobs/s" if key == "drain" else "ms"
        return figures.compared(what, ours, baseline, theirs, unit, bound, to_keep)

    drain, alone = "drain of an ordinary kind", "one job alone, p50, ordinary kind"
    aims = [
        aim(drain, "drain", ORDINARY_NAME, CELERY, ">=", 0.75),
        aim(drain, "drain", ORDINARY_NAME, PROCRASTINATE, ">=", 1.0),
        aim("drain of a short kind", "drain", SHORT_NAME, CELERY, ">=", 1.0),
        aim(alone, "p50", ORDINARY_NAME, CELERY, "<=", 1.5),
        aim(alone, "p50", ORDINARY_NAME, PROCRASTINATE, "<=", 1.0),
    ]
    figures.conclude("jobs", aims, fdatasync_us=disk, measured=measured, **facts)


if __name__ == "__main__":
    main()
