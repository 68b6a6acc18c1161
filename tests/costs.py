"""What one thing costs in costs of another, on a machine that also does other things."""

import gc
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_ROUNDS: Final = 6


def times_as_much(
    dear: Callable[[], object], cheap: Callable[[], object], most: float, floor_seconds: float = 0.0
) -> float:
    """The cost of `dear` in costs of `cheap`, measured until it is below `most`, at most 6 times.

    What else the machine does only adds to a cost, so both are measured in turn and the least of
    each counts. Below `floor_seconds` what is measured is not the work.
    """
    least_dear = least_cheap = math.inf
    with _without_collections():
        for _ in range(_ROUNDS):
            least_cheap = min(least_cheap, _cost(cheap), _cost(cheap))
            least_dear = min(least_dear, _cost(dear))
            if max(least_dear, floor_seconds) < most * max(least_cheap, floor_seconds):
                break
    return max(least_dear, floor_seconds) / max(least_cheap, floor_seconds)


def _cost(work: Callable[[], object]) -> float:
    """CPU seconds of this thread."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


@contextmanager
def _without_collections() -> Iterator[None]:
    """A collection looks at all that the tests before have left, not at what is measured."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
