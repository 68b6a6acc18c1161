"""The cost of a hostile document grows no faster than n log n with its size."""

import math
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from app.engine.pages.page import PageUnreadable
from app.engine.reading.preparing import read_document
from app.engine.reading.reading import MOST_PASSAGES, Document
from app.engine.text.analysis import Analyzer
from tests.unit.engine.reading.hostile import FAMILIES, PROSE, URL

ANALYZER = Analyzer()
SMALL, TIMES = 40_000, 8
FLOOR_SECONDS = 0.02  # below that, what is measured is not the document
# Eight times the size costs 8 to 9.5 times as much at n log n, and 64 times as much at its square.
MOST_GROWTH = 3 * TIMES * math.log(SMALL * TIMES) / math.log(SMALL)
ROUNDS = 6


def cost(document: Document) -> float:
    """CPU seconds of reading it."""
    began = time.thread_time()
    with suppress(PageUnreadable):
        read_document(document, ANALYZER)
    return max(time.thread_time() - began, FLOOR_SECONDS)


def growth(small: Document, large: Document) -> float:
    """How many times as much the large one costs. What else the machine does only adds to a cost,
    so both are measured in turn, the least counts, and too much is measured again."""
    least_small = least_large = math.inf
    for _ in range(ROUNDS):
        least_small = min(least_small, cost(small), cost(small))
        least_large = min(least_large, cost(large))
        if least_large / least_small < MOST_GROWTH:
            break
    return least_large / least_small


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_eight_times_the_size_costs_no_more_than_n_log_n(
    family: Callable[[int], Document],
) -> None:
    cost(Document(PROSE.encode(), "text/html", None, URL))  # what is loaded once
    assert growth(family(SMALL), family(SMALL * TIMES)) < MOST_GROWTH


def test_all_passages_under_long_headings_are_kept_in_either_size() -> None:
    """Else two ways of reading would be compared, not two sizes."""
    small = FAMILIES["passages under long headings"](SMALL)
    passages = len(read_document(small, ANALYZER).passages)
    assert passages >= small.body.count(b"<h6>")
    assert passages * TIMES < MOST_PASSAGES
