"""One scale for what is indexed and what was just read: the oracle is one memory index of both."""

from dataclasses import replace

import pytest

from app.engine.search.interface import IndexedPassage, IndexStats, LexQuery
from app.engine.search.score_scale import Analysed, pool
from app.engine.text import analysis
from bench.memory_retriever import MemoryRetriever

QUERY = LexQuery((("owl", 1.0), ("egg", 2.0)))
INDEXED = [
    IndexedPassage(1, "a", "The owl lays an egg, and the egg is white.", title="Owls"),
    IndexedPassage(2, "a", "An owl hunts at night over fields and along the edges of woods."),
    IndexedPassage(3, "b", "Trains leave from the central station every hour."),
]
READ = [
    IndexedPassage(-1, "c", "Each egg of an owl weighs about twenty grams."),
    IndexedPassage(-2, "c", "Nothing of interest stands here at all."),
]


def analysed(passages: list[IndexedPassage]) -> list[Analysed]:
    return [(p, analysis.terms(p.indexed_text, p.language)) for p in passages]


def memory(passages: list[IndexedPassage]) -> MemoryRetriever:
    retriever = MemoryRetriever()
    retriever.upsert("ns", passages)
    return retriever


def test_scores_and_statistics_are_those_of_one_index_of_both() -> None:
    terms = [term for term, _ in QUERY.terms]
    stats = memory(INDEXED).stats("ns", terms)
    candidates, pooled = pool(QUERY, stats, INDEXED, analysed(READ))
    both = memory([*INDEXED, *READ])
    assert pooled == both.stats("ns", terms)
    expected = {hit.passage_id: hit.score for hit in both.lexical("ns", QUERY, 10)}
    assert {x.passage.id: x.lexical for x in candidates} == pytest.approx(expected)


def test_the_best_come_first() -> None:
    stats = memory(INDEXED).stats("ns", ["owl", "egg"])
    candidates, _ = pool(QUERY, stats, INDEXED, analysed(READ))
    scores = [x.lexical for x in candidates]
    assert scores == sorted(scores, reverse=True)


def test_what_was_read_is_enough_without_an_index() -> None:
    candidates, pooled = pool(QUERY, IndexStats(0, 0.0), [], analysed(READ))
    assert [x.passage.id for x in candidates] == [-1]
    assert pooled.n == 2


def test_an_excluded_term_leaves_a_passage_out() -> None:
    query = replace(QUERY, excluded=("gram",))
    candidates, _ = pool(query, IndexStats(0, 0.0), [], analysed(READ))
    assert candidates == []
