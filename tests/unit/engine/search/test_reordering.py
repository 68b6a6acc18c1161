"""Passages in a reranker's order, on the scale of their rank scores."""

from collections.abc import Sequence

import pytest

from app.engine.search.interface import IndexedPassage
from app.engine.search.overlap import Relevance
from app.engine.search.rank import RankedPassage
from app.engine.search.rerank import reordered


def ranked(*scores: float) -> list[RankedPassage]:
    """Passages 1, 2, ... with these rank scores."""
    return [
        RankedPassage(IndexedPassage(id, "s", f"text {id}"), score, Relevance(0, 0, 0), frozenset())
        for id, score in enumerate(scores, start=1)
    ]


def ids(passages: Sequence[RankedPassage]) -> list[int]:
    return [x.passage.id for x in passages]


def test_the_reranker_decides_the_order() -> None:
    assert ids(reordered(ranked(0.9, 0.8, 0.7), [0.1, 0.2, 0.9])) == [3, 2, 1]


def test_where_the_reranker_sees_no_difference_the_rank_decides() -> None:
    assert ids(reordered(ranked(0.9, 0.8, 0.7), [0.5, 0.5, 0.5])) == [1, 2, 3]


def test_a_hair_between_the_rerankers_scores_does_not_outweigh_the_rank() -> None:
    assert ids(reordered(ranked(0.9, 0.1, 0.3), [0.80, 0.82, 0.0])) == [1, 2, 3]


def test_scores_stay_between_the_lowest_and_the_highest_rank_score() -> None:
    scores = [x.score for x in reordered(ranked(1.2, 0.8, 0.7), [-11.0, 6.5, 3.0])]
    assert scores == sorted(scores, reverse=True)
    assert 0.7 <= scores[-1] < scores[0] <= 1.2


def test_both_at_one_keep_the_extreme_scores() -> None:
    scores = [x.score for x in reordered(ranked(1.2, 0.8, 0.7), [0.9, 0.5, 0.1])]
    assert (scores[0], scores[-1]) == pytest.approx((1.2, 0.7))


def test_only_how_scores_lie_to_each_other_counts() -> None:
    passages = ranked(0.9, 0.8, 0.7)
    assert reordered(passages, [-8.0, 4.0, 1.0]) == reordered(passages, [0.0, 12.0, 9.0])


def test_passages_of_one_rank_score_are_put_in_order_too() -> None:
    assert ids(reordered(ranked(0.5, 0.5), [0.1, 0.9])) == [2, 1]
