"""The order of a search by a reranker that is a function here."""

from collections.abc import Sequence
from typing import Any

import pytest

from app.engine.search.overlap import Relevance
from app.engine.search.rank import RankedPassage
from tests.unit.workers.searches import made
from workers.searches import rerank

TEXTS = ["An owl is a bird.", "Owls are in the zoo.", "The owl lays seven eggs.", "No more owls."]


class Reranker:
    """Eggs are what everybody asks for."""

    name = "test"

    def __init__(self) -> None:
        self.texts, self.seconds = list[str](), 0.0

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        self.texts, self.seconds = list(texts), seconds
        return [float("eggs" in text) for text in texts]


@pytest.fixture
def reranker(monkeypatch: pytest.MonkeyPatch) -> Reranker:
    reranker = Reranker()
    monkeypatch.setattr(rerank, "reranker_of", lambda _: reranker)
    return reranker


RANKED = [
    RankedPassage(made.passage(id, text), 1.0 - id / 10, Relevance(0, 0, 0), frozenset())
    for id, text in enumerate(TEXTS, start=1)
]


def reranked(**more: Any) -> rerank.RerankedPassages:
    return rerank.rerank(made.settings(**more), made.query(), RANKED)


def ids(result: rerank.RerankedPassages) -> list[int]:
    return [x.passage.id for x in result.ranked]


def test_the_reranker_reads_title_and_text(reranker: Reranker) -> None:
    reranked()
    assert reranker.texts[0] == RANKED[0].passage.indexed_text


def test_it_is_given_the_time_of_the_settings(reranker: Reranker) -> None:
    reranked(rerank_timeout_seconds=1.5)
    assert reranker.seconds == 1.5


def test_no_more_than_the_best_are_reranked(reranker: Reranker) -> None:
    assert ids(reranked(rerank_candidates=2)) == [1, 2, 3, 4]
    assert len(reranker.texts) == 2


def test_those_beyond_the_best_stay_behind_with_their_scores(reranker: Reranker) -> None:
    result = reranked(rerank_candidates=3)
    assert result.ranked[3] == RANKED[3]
    assert result.ranked[2].score >= RANKED[3].score


def test_one_passage_needs_no_order(reranker: Reranker) -> None:
    result = rerank.rerank(made.settings(), made.query(), RANKED[:1])
    assert (result.ranked, reranker.texts) == (RANKED[:1], [])
