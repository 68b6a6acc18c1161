"""The in-memory oracle: BM25 by hand, filters, replacement, removal."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.engine.search.interface import Filter, Hit, IndexedPassage, LexQuery
from app.engine.search.memory import MemoryRetriever
from app.engine.text.analysis import Analyzer

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
    memory = MemoryRetriever(Analyzer())
    memory.upsert("n", [CAT, DOG, FISH])
    return memory


def ids(hits: list[Hit]) -> list[int]:
    return [hit.passage_id for hit in hits]


def test_score_is_okapi_bm25(retriever: MemoryRetriever) -> None:
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    avgdl = (3 + 1 + 3) / 3
    expected = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / avgdl))
    assert retriever.lexical("n", QUERY, 1)[0].score == pytest.approx(expected)


def test_title_and_headings_are_indexed_with_the_text(retriever: MemoryRetriever) -> None:
    assert ids(retriever.lexical("n", LexQuery((("bird", 1.0), ("fish", 1.0))), 9)) == [3]
    assert 3 in ids(retriever.lexical("n", QUERY, 9))


def test_heading_that_begins_the_text_counts_once() -> None:
    assert replace(FISH, text="Bird\n\nfish").indexed_text == "Cat\nBird\n\nfish"


def test_weight_multiplies(retriever: MemoryRetriever) -> None:
    double = retriever.lexical("n", LexQuery((("cat", 2.0),)), 1)[0].score
    assert double == pytest.approx(2 * retriever.lexical("n", QUERY, 1)[0].score)


def test_passage_with_an_excluded_term_is_no_hit(retriever: MemoryRetriever) -> None:
    assert ids(retriever.lexical("n", LexQuery((("cat", 1.0),), ("dog",)), 9)) == [3]


def test_upsert_replaces(retriever: MemoryRetriever) -> None:
    retriever.upsert("n", [replace(CAT, text="bird")])
    assert ids(retriever.lexical("n", QUERY, 9)) == [3]
    assert retriever.stats("n", ["cat", "bird"]).df == {"cat": 1, "bird": 2}


def test_upsert_twice_changes_nothing(retriever: MemoryRetriever) -> None:
    before = retriever.stats("n", ["cat"])
    retriever.upsert("n", [CAT])
    assert retriever.stats("n", ["cat"]) == before


def test_delete_removes_every_passage_of_a_source(retriever: MemoryRetriever) -> None:
    retriever.delete("n", ["b", "unknown"])
    assert retriever.stats("n").n == 1


def test_namespaces_do_not_meet(retriever: MemoryRetriever) -> None:
    assert retriever.lexical("other", QUERY, 9) == []


def test_stats_of_an_empty_namespace_are_zero() -> None:
    stats = MemoryRetriever(Analyzer()).stats("n", ["cat"])
    assert (stats.n, stats.avgdl, stats.df) == (0, 0.0, {"cat": 0})


def test_idf_is_never_negative(retriever: MemoryRetriever) -> None:
    retriever.delete("n", ["b"])
    assert retriever.stats("n", ["cat"]).idf("cat") > 0


@pytest.mark.parametrize(
    "where",
    [
        Filter(include_domains=("example.org",)),
        Filter(exclude_domains=("example.com",), corpora=("pets",)),
        Filter(published_after=datetime(2026, 1, 1, tzinfo=UTC)),
        Filter(fetched_after=datetime(2026, 1, 31, tzinfo=UTC)),
        Filter(languages=("en-GB",)),
        Filter(corpora=("pets",)),
    ],
)
def test_filter_admits_only_the_cat(retriever: MemoryRetriever, where: Filter) -> None:
    both = LexQuery((("cat", 1.0), ("dog", 1.0), ("fish", 1.0)))
    assert ids(retriever.lexical("n", both, 9, where)) == [1]


def test_domain_filter_does_not_match_inside_a_label(retriever: MemoryRetriever) -> None:
    assert retriever.lexical("n", QUERY, 9, Filter(include_domains=("ample.org",))) == []


def test_equal_scores_are_ordered_by_id() -> None:
    memory = MemoryRetriever(Analyzer())
    memory.upsert("n", [replace(DOG, id=9, text="cat"), replace(DOG, id=4, text="cat")])
    assert ids(memory.lexical("n", QUERY, 9)) == [4, 9]
