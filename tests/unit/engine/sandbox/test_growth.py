"""The cost of a hostile document grows no faster than n log n with its size."""

import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from app.engine.pages.page import PageUnreadable
from app.engine.sandbox.documents import MOST_PASSAGES, Document
from app.engine.sandbox.prepare import read_document
from tests.costs import times_as_much
from tests.unit.engine.sandbox.hostile import FAMILIES, PROSE, URL

SMALL, TIMES = 10_000, 8
FLOOR_SECONDS = 0.005  # below that, what is measured is not the document
# Eight times the size costs 8 to 9.5 times as much at n log n, and 64 times as much at its square.
MOST_GROWTH = 3 * TIMES * math.log(SMALL * TIMES) / math.log(SMALL)


def read(document: Document) -> None:
    with suppress(PageUnreadable):
        read_document(document)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_eight_times_the_size_costs_no_more_than_n_log_n(
    family: Callable[[int], Document],
) -> None:
    read(Document(PROSE.encode(), "text/html", None, URL))  # what is loaded once
    small, large = partial(read, family(SMALL)), partial(read, family(SMALL * TIMES))
    assert times_as_much(large, small, MOST_GROWTH, FLOOR_SECONDS) < MOST_GROWTH


def test_all_passages_under_long_headings_are_kept_in_either_size() -> None:
    """Else two ways of reading would be compared, not two sizes."""
    small = FAMILIES["passages under long headings"](SMALL)
    passages = len(read_document(small).passages)
    assert passages >= small.body.count(b"<h6>")
    assert passages * TIMES < MOST_PASSAGES
