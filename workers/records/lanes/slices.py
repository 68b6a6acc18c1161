"""A slice of long work over a list of rows: a part takes some, works on them, keeps the results.

The rows belong to the domain: it says which are taken by which part, and remembers what is done.
What a dead worker leaves is done again by the part's next attempt, one row after the other. Each is
written down before it is begun, so that a row that kills its worker costs its neighbours nothing:
in the next attempt it comes last, and if all attempts die, it alone is to blame.
"""

import math
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TypeVar
from uuid import UUID

from app.core.db import Tx
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs.service import Finish
from workers.queue.attempt import Attempt

Item = TypeVar("Item")
Result = TypeVar("Result")

KEEP_ROWS, KEEP_SECONDS = 5, 1.0  # what a dead worker may cost
SLICE_ROWS, SLICE_SECONDS = 20, 10.0


def run_lane(
    attempt: Attempt,
    take: Callable[[Tx, UUID, int], list[Item]],
    work: Callable[[list[Item]], Generator[tuple[Item, Result]]],
    keep: Callable[[Tx, list[Result]], None],
    left: Callable[[Tx, list[Item]], None],
    *,
    key: Callable[[Item], str],
    seconds: float = SLICE_SECONDS,
    most: int = SLICE_ROWS,
    ends_itself: bool = False,
) -> Finish:
    """Work for some seconds on at most so many rows; what follows, the parent's `on_part` decides.

    - `take(tx, part_id, most)` marks up to `most` rows as the part's and returns those and what was
      its own before; `most` is 0 for all attempts but the first.
    - `work(items)` yields each with its result, in any order; it is closed when the time is up, and
      may end early. One that `ends_itself` is not closed: it has begun what it still yields. It is
      called once, or, after a death, for each row by itself.
    - `keep(tx, results)` writes them, in a step: done twice, it must be done once.
    - `left(tx, items)` gives back what was not worked on, in the transaction that ends the part.
    - `key(item)` names a row in all attempts: `PartEnded.begun` holds the names of those to blame.
    """
    first = attempt.job.attempt == 1
    with attempt.step() as tx:
        items = take(tx, attempt.id, most if first else 0)
    waiting = list(items)
    working = work(items) if first else _one_by_one(attempt, items, work, key, seconds)
    with closing(working) as results:
        rows, time_left = KEEP_ROWS if first else 1, math.inf if ends_itself else seconds
        for batch in _batches(attempt, results, rows, time_left):
            with attempt.step() as tx:
                keep(tx, [result for _, result in batch])
            for item, _ in batch:
                waiting.remove(item)
            attempt.notify()
    return lambda tx: left(tx, waiting)


def _one_by_one(
    attempt: Attempt,
    items: Sequence[Item],
    work: Callable[[list[Item]], Generator[tuple[Item, Result]]],
    key: Callable[[Item], str],
    seconds: float,
) -> Generator[tuple[Item, Result]]:
    """Rows of which a worker may die, those last that one may have died of before."""
    until = time.monotonic() + seconds
    begun = list(attempt.job.begun)
    for item in sorted(items, key=lambda item: begun.count(key(item))):
        begun.append(key(item))
        with attempt.step() as tx:
            attempt_store.begin_row(tx, attempt.job, begun)
        with closing(work([item])) as results:
            yield from results
        begun.remove(key(item))
        if time.monotonic() > until:
            return


def _batches(
    attempt: Attempt, results: Generator[tuple[Item, Result]], rows: int, seconds: float
) -> Generator[Sequence[tuple[Item, Result]]]:
    """Results in the portions in which they are kept, until the time is up."""
    until = time.monotonic() + seconds
    batch: list[tuple[Item, Result]] = []
    kept_at = time.monotonic()
    for result in results:
        attempt.check()
        batch.append(result)
        now = time.monotonic()
        if len(batch) >= rows or now - kept_at > KEEP_SECONDS or now > until:
            yield batch
            batch, kept_at = [], time.monotonic()
        if now > until:
            return
    if batch:
        yield batch
