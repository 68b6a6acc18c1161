"""A slice of long work over a list of rows: a part takes some, works on them, keeps the results.

The rows belong to the domain: it says which are taken by which part, and remembers what is done.
What a dead worker leaves is done again by the part's next attempt, one row at a time, so that a row
that kills its worker costs its neighbours nothing.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TypeVar
from uuid import UUID

from app.core.db import Tx
from app.domains.jobs import service as jobs
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
    seconds: float = SLICE_SECONDS,
    most: int = SLICE_ROWS,
) -> jobs.Finish:
    """Work for some seconds on at most so many rows; what follows, the parent's `on_part` decides.

    - `take(tx, part_id, most)` marks up to `most` rows as the part's and returns those and what was
      its own before; `most` is 0 for all attempts but the first.
    - `work(items)` yields each with its result, in any order; it is closed when the time is up, and
      may end early.
    - `keep(tx, results)` writes them, in a step: done twice, it must be done once.
    - `left(tx, items)` gives back what was not worked on, in the transaction that ends the part.
    """
    first = attempt.job.attempt == 1
    with attempt.step() as tx:
        items = take(tx, attempt.id, most if first else 0)
    waiting = list(items)
    with closing(work(items)) as results:
        for batch in _batches(attempt, results, KEEP_ROWS if first else 1, seconds):
            with attempt.step() as tx:
                keep(tx, [result for _, result in batch])
            for item, _ in batch:
                waiting.remove(item)
            attempt.notify()
    return lambda tx: left(tx, waiting)


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
