"""What each step of the life of a job costs while a million others wait, are done, or were drained.

A database with an almost empty queue takes turns with one where so many wait of ten thousand
accounts, and one where all are of one account. Then all that waits is drained, and looked at before
and after a vacuum. `--report` writes the tables into a page, between the marks that it holds.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from bench import figures
from bench.capacity import report
from bench.capacity.life import SHARES, Turn
from bench.capacity.tables import Database, Filling, Size, drain, prepare, size, vacuum
from bench.machine import machine

AIM = 1.2
FEW, MANY = 1, 10_000  # accounts

Found = dict[str, dict[str, list[float]]]
"""Microseconds of processor time of each step, by database, a figure a round."""
Column = dict[str, tuple[list[float], list[float]]]
"""Of each step, those of one database and those of another that took turns with it."""


def main() -> None:
    given = arguments()
    with machine(given.folder) as servers:
        empties = [
            prepare(servers, f"empty_{n}", Filling(0, 0, 0, accounts))
            for n, accounts in enumerate((MANY, FEW))
        ]
        full = Filling(given.waiting, given.waiting // 10, given.done, MANY)
        many = prepare(servers, "many", full)
        one = prepare(servers, "one", Filling(given.waiting, 0, 0, FEW))
        waiting = measure([*empties, many, one], given.rounds)
        sizes = {"waiting": size(many, "jobs")}
        drain(many)
        sizes["drained"] = size(many, "jobs")
        drained = measure([empties[0], many], given.rounds)
        vacuum(many)
        sizes["vacuumed"] = size(many, "jobs")
        vacuumed = measure([empties[0], many], given.rounds)
        for database in (*empties, many, one):
            database.close()
    columns = {
        f"{given.waiting:,} wait, of {MANY:,} accounts": beside(waiting, "many", "empty_0"),
        "all of one account": beside(waiting, "one", "empty_1"),
        "just drained": beside(drained, "many", "empty_0"),
        "drained, vacuumed": beside(vacuumed, "many", "empty_0"),
    }
    conclude(given, columns, waiting["empty_0"], sizes)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--waiting", type=int, default=1_000_000)
    parser.add_argument("--done", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path, help="where the servers keep their data")
    parser.add_argument("--report", type=Path, help="the page that holds the tables")
    given = parser.parse_args()
    if given.quick:
        given.rounds, given.waiting, given.done = 3, 20_000, 20_000
    return given


def measure(databases: Sequence[Database], rounds: int) -> Found:
    for database in databases:
        Turn(database).run()  # warm: caches, prepared statements
        Turn(database).run()
    found: Found = {database.name: defaultdict(list) for database in databases}
    for _ in range(rounds):
        for database in databases:
            for step, us in Turn(database).run().items():
                found[database.name][step].append(us)
    return found


def beside(found: Found, name: str, baseline: str) -> Column:
    return {step: (us, found[baseline][step]) for step, us in found[name].items()}


def conclude(
    given: argparse.Namespace,
    columns: dict[str, Column],
    empty: dict[str, list[float]],
    sizes: dict[str, Size],
) -> None:
    ratios = {
        name: {step: figures.paired(*sides) for step, sides in column.items()}
        for name, column in columns.items()
    }
    rows: list[tuple[str | float, ...]] = [
        (words, median(empty[step]), *(column[step] for column in ratios.values()))
        for step, words in SHARES.items()
    ]
    heads = ("step", "us of processor time, almost empty", *(f"x {name}" for name in columns))
    print(f"{given.rounds} rounds; {given.waiting // 10:,} of later, {given.done:,} done beside\n")
    figures.table(("step", "us", "x many", "x one", "x drained", "x vacuumed"), rows)
    megabytes = [
        (name, taken.table_bytes / 1e6, taken.index_bytes / 1e6) for name, taken in sizes.items()
    ]
    figures.table(("the jobs table", "MB", "MB of indexes"), megabytes)
    aims = [
        figures.compared(f"{SHARES[step]}: {name}", us, "almost empty", empty_us, "us", "<=", AIM)
        for name, column in columns.items()
        for step, (us, empty_us) in column.items()
    ]
    figures.conclude(
        "capacity",
        aims,
        ratios=ratios,
        empty_us=empty,
        sizes={name: asdict(taken) for name, taken in sizes.items()},
        waiting=given.waiting,
        done=given.done,
        rounds=given.rounds,
    )
    if given.report:
        text = [
            report.table(heads, rows),
            report.table(("the table `jobs`", "MB", "MB of indexes"), megabytes),
        ]
        report.write(given.report, "waiting", "make bench-capacity", text)


if __name__ == "__main__":
    main()
