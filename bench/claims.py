"""What the statements of the job life cost beside many finished jobs, through the services.

Three databases, prepared beforehand, in turns. A call is timed inside an open transaction whose
commit does not wait for the disk: it is the statements that might grow with the table.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import Any

from app.core import db, ids
from app.core.db import Tx
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.admission.admission import Backpressure
from app.domains.queue.jobs.dispatch import selection, sweep
from bench import figures
from bench.machine import Machine, machine
from bench.queues.kinds import ORDINARY, QUEUE

FINISHED = """
    insert into jobs (id, account_id, queue, kind, state, attempt, max_attempts, payload, worker,
                      deadline_at, started_at, finished_at)
    select uuidv7(), %(account)s, %(queue)s, %(kind)s, 'succeeded', 1, 4, '{"slot": 1}', 'w',
           now() + interval '1 hour', now(), now()
    from generate_series(1, %(rows)s)
    """
WORKER, LEASE_SECONDS, LOST_SECONDS = "bench", 60.0, 60.0

Spent = dict[str, list[float]]


def main() -> None:
    asked = figures.arguments(__doc__, rounds=15)
    sizes, rounds, many = (
        ((0, 5_000, 20_000), 3, 50) if asked.quick else ((0, 100_000, 1_000_000), asked.rounds, 200)
    )
    with machine(asked.folder) as servers:
        tables = [prepare(servers, rows) for rows in sizes]
        for table in tables:
            turn(table, many, defaultdict(list))  # warm: caches, prepared statements
        measured: list[dict[str, list[float]]] = [defaultdict(list) for _ in sizes]
        for _ in range(rounds):
            for table, found in zip(tables, measured, strict=True):
                spent: Spent = defaultdict(list)
                turn(table, many, spent)
                for step, times in spent.items():
                    found[step].append(median(times) * 1e6)
        for table in tables:
            table.close()
    report(sizes, measured, {"rounds": rounds, "jobs_a_round": many})


def prepare(servers: Machine, rows: int) -> Tx:
    """A database with so many finished jobs, as autovacuum leaves it."""
    owner = db.conninfo(servers.database(f"finished_{rows}"), 600)
    tx = Tx.connect(owner, autocommit=True, prepare_threshold=2)
    tx.execute(
        FINISHED, {"account": ids.new(), "queue": QUEUE, "kind": ORDINARY.name, "rows": rows}
    )
    tx.execute("vacuum analyze jobs")
    return tx


def turn(tx: Tx, many: int, spent: Spent) -> None:
    """`many` jobs through their life; they stay, finished, which is little beside the others."""
    account = ids.new()
    waiting = [
        timed(tx, spent, "enqueue", jobs.enqueue, ORDINARY, account, {"slot": n})
        for n in range(many)
    ]
    while timed(tx, spent, "choose", selection.choose, QUEUE, many, LOST_SECONDS)[0]:
        pass
    for job_id in waiting:
        (claimed,) = timed(tx, spent, "claim", jobs.claim, [job_id], WORKER, LEASE_SECONDS)
        held = [(claimed.id, claimed.attempt)]
        timed(tx, spent, "renew", attempt_store.renew, held, WORKER, LEASE_SECONDS)
        timed(tx, spent, "finish", jobs.finish, [jobs.Done(claimed, lambda _: None)])
    for _ in range(10):
        timed(tx, spent, "sweep", sweep.sweep)
        timed(tx, spent, "count", Backpressure(20_000, 5_000).check, ORDINARY, account)
    # As autovacuum would: dead rows cost the same in each table and hide what is measured.
    tx.execute("vacuum jobs")


def timed(tx: Tx, spent: Spent, step: str, act: Callable[..., Any], *args: Any) -> Any:
    with tx.transaction():
        tx.execute("set local synchronous_commit = off")
        began = time.perf_counter()
        result = act(tx, *args)
        spent[step].append(time.perf_counter() - began)
    return result


def report(
    sizes: tuple[int, ...], measured: list[dict[str, list[float]]], facts: dict[str, int]
) -> None:
    empty, *others = measured
    print(f"{facts}; medians in us, and ratios to the table without finished jobs\n")
    columns = ["step", *(f"{rows:,} rows" for rows in sizes), *(f"x {n:,}" for n in sizes[1:])]
    figures.table(
        columns,
        [
            (
                step,
                *(median(found[step]) for found in measured),
                *(figures.paired(found[step], empty[step]) for found in others),
            )
            for step in empty
        ],
    )
    most = measured[-1]
    aims = [
        figures.compared(
            f"{step} beside {sizes[-1]:,} finished jobs",
            most[step],
            "beside none",
            empty[step],
            "us",
            "<=",
            1.1,
        )
        for step in ("enqueue", "claim", "finish")
    ]
    kept = {str(rows): dict(found) for rows, found in zip(sizes, measured, strict=True)}
    figures.conclude("claims", aims, measured_us=kept, **facts)


if __name__ == "__main__":
    main()
