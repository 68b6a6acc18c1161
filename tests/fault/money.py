"""Random movements of money in many threads, while the connections under them are killed."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import sql

from app.domains.money.ledger.service import InsufficientCredit

THREADS: Final = 8
KILL_SECONDS: Final = 0.4
_MOST_TRIES: Final = 50

Operation = Callable[[], str]
"""One operation with all that is random about it decided; done again, it does nothing more."""

KILL = """
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1
    """


def besieged(
    choose: Callable[[random.Random], Operation],
    operations: int,
    url: str,
    wanted: Sequence[str],
) -> Counter[str]:
    """Do so many operations, one in ten of them twice, and more until each of `wanted` was seen.

    Returns how they ended. An operation whose connection was killed is `repeated`: nobody knows
    whether it was done.
    """
    _hurry(url)
    counts, stop = Counter[str](), threading.Event()
    lock = threading.Lock()

    def worker(seed: int) -> None:
        rng, done = random.Random(seed), 0
        while done < operations // THREADS or not all(counts[name] for name in wanted):
            done += 1
            outcomes = _done(choose(rng), twice=rng.random() < 0.1)
            with lock:
                counts.update(outcomes)

    killer = threading.Thread(target=_kill, args=(url, stop, counts))
    threads = [threading.Thread(target=worker, args=(seed,)) for seed in range(THREADS)]
    for thread in (killer, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    killer.join()
    return counts


def _hurry(url: str) -> None:
    """Connections from now on do not wait for the disk: no crash of the server is tried here."""
    with psycopg.connect(url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("alter database {} set synchronous_commit = off").format(name))


def _done(operation: Operation, *, twice: bool) -> Counter[str]:
    counts = Counter[str]()
    for _ in range(_MOST_TRIES):
        try:
            counts[operation()] += 1
        except psycopg.errors.DeadlockDetected as error:
            counts["deadlock"] += 1
            counts[f"of {operation}: {error.diag.context}"] += 1
        except psycopg.OperationalError:
            counts["repeated"] += 1
        except InsufficientCredit:
            counts["short"] += 1
            return counts
        else:
            if not twice:
                return counts
            twice = False
    raise AssertionError(f"{operation} was never done: {counts}")


def _kill(url: str, stop: threading.Event, counts: Counter[str]) -> None:
    with psycopg.connect(url, autocommit=True) as connection:  # as the role that logs in
        while not stop.wait(KILL_SECONDS):
            with suppress(psycopg.Error):
                counts["killed"] += len(connection.execute(KILL).fetchall())
