"""The in-memory oracle: BM25 by hand, filters, replacement, removal."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.engine.search.interface import IndexedPassage, LexQuery
from bench.memory_retriever import MemoryRetriever

CAT = IndexedPassage(
    1,
    "a",
    "cat cat dog",
    language="en",
    domain="docs.example.org",
    corpus="pets",
    published_at=datetime(2026, 1, 1, tzinfo=UTC),
    fetched_at=datetime(2026, 2, 1, tzinfo=UTC),
)
DOG = IndexedPassage(2, "b", "dog", language="de", domain="example.com")
FISH = IndexedPassage(3, "b", "fish", title="Cat", headings=("Bird",))
QUERY = LexQuery((("cat", 1.0),))


@pytest.fixture
def retriever() -> MemoryRetriever:
    memory = MemoryRetriever()
    memory.upsert("n", [CAT, DOG, FISH])
    return memory


def test_score_is_okapi_bm25(retriever: MemoryRetriever) -> None:
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    avgdl = (3 + 1 + 3) / 3
    expected = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / avgdl))
    assert retriever.lexical("n", QUERY, 1)[0].score == pytest.approx(expected)


def test_heading_that_begins_the_text_counts_once() -> None:
    assert replace(FISH, text="Bird\n\nfish").indexed_text == "Cat\nBird\n\nfish"


def test_stats_of_an_empty_namespace_are_zero() -> None:
    stats = MemoryRetriever().stats("n", ["cat"])
    assert (stats.n, stats.avgdl, stats.df) == (0, 0.0, {"cat": 0})


def test_idf_is_never_negative(retriever: MemoryRetriever) -> None:
    retriever.delete("n", ["b"])
    assert retriever.stats("n", ["cat"]).idf("cat") > 0
