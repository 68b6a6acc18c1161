"""The best passages in the order of a reranker, on the scale of their rank scores."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.engine.search.rank import RankedPassage, spread

# As much as a cosine has beside BM25, where .7 to .9 made no difference; the rest is for what a
# reranker cannot see: news, contents pages, a definition asked for.
SHARE: Final = 0.8


def reordered(best: Sequence[RankedPassage], scores: Sequence[float]) -> list[RankedPassage]:
    """`best` by .8 of the reranker's score and .2 of the rank score, ties as they stood.

    Both are spread between the worst and the best of these passages, and the sum is laid between
    their lowest and highest rank score: so what was not reranked still stands behind, and whoever
    reads `score` meets the range that ranking gave. Scores of a reranker cannot be compared
    between models, nor between questions: only how they lie to each other is used.
    """
    ranks = [x.score for x in best]
    low, high = min(ranks), max(ranks)
    by_rank, by_reranker = spread(ranks), spread(scores)
    mixed = [SHARE * a + (1 - SHARE) * b for a, b in zip(by_reranker, by_rank, strict=True)]
    order = sorted(zip(best, mixed, strict=True), key=lambda x: -x[1])
    return [replace(x, score=low + (high - low) * share) for x, share in order]
