"""The cost of a hostile document grows no faster than n log n with its size."""

import math
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from app.engine.pages.page import PageUnreadable
from app.engine.reading.preparing import read_document
from app.engine.reading.reading import Document
from app.engine.text.analysis import Analyzer
from tests.unit.engine.reading.hostile import FAMILIES, PROSE, URL

ANALYZER = Analyzer()
SMALL, TIMES = 40_000, 8
FLOOR_SECONDS = 0.02  # below that, what is measured is not the document
# Eight times the size costs 8 to 9.5 times as much at n log n, and 64 times as much at its square.
MOST_GROWTH = 3 * TIMES * math.log(SMALL * TIMES) / math.log(SMALL)


def cost(document: Document) -> float:
    """CPU seconds of reading it: the least of three, or one where that is long."""
    least = math.inf
    for _ in range(3):
        began = time.thread_time()
        with suppress(PageUnreadable):
            read_document(document, ANALYZER)
        least = min(least, time.thread_time() - began)
        if least > 0.5:
            break
    return max(least, FLOOR_SECONDS)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_eight_times_the_size_costs_no_more_than_n_log_n(
    family: Callable[[int], Document],
) -> None:
    cost(Document(PROSE.encode(), "text/html", None, URL))  # what is loaded once
    assert cost(family(SMALL * TIMES)) / cost(family(SMALL)) < MOST_GROWTH
