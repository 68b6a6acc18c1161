"""What one query makes of the postings it has read."""

import tracemalloc

import numpy as np
import pytest

from app.domains.library.passages.index.bm25 import Matches
from app.domains.library.passages.index.lexical_store import SnapshotPostings
from app.domains.library.passages.index.postings import POSTING
from app.engine.search.interface import IndexStats, bm25_weight

LENGTH = 60


def postings(passages: range, frequency: int = 1) -> bytes:
    """A term's, of passages of equal length."""
    packed = np.empty(len(passages), POSTING)
    packed["passage"], packed["frequency"], packed["length"] = list(passages), frequency, LENGTH
    return packed.tobytes()


def read(blocks: dict[int, bytes | None], passages: int) -> SnapshotPostings:
    return SnapshotPostings(passages, passages * LENGTH, None, None, blocks)


def test_scoring_takes_little_memory_beside_postings_and_sums() -> None:
    matches = Matches(read({term: postings(range(1, 100_001)) for term in range(5)}, 200_000))
    tracemalloc.start()
    scores = matches.scores([(term, 1.0) for term in range(5)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - scores.nbytes < 1_000_000


def test_scores_of_many_postings_are_sums_of_each_terms_share() -> None:
    n, common, rare = 50_000, range(1, 40_001), range(20_001, 30_001)
    matches = Matches(read({1: postings(common), 2: postings(rare, frequency=2)}, n))
    stats = IndexStats(n, LENGTH, {"common": len(common), "rare": len(rare)})
    once, twice = (bm25_weight(tf, LENGTH, LENGTH) for tf in (1, 2))
    scores = matches.scores([(1, 1.0), (2, 0.5)])
    best = dict(matches.best(scores, n))
    assert len(best) == len(common)
    assert best[1] == best[40_000] == pytest.approx(stats.idf("common") * once)
    both = stats.idf("common") * once + stats.idf("rare") * twice * 0.5
    assert best[20_001] == best[30_000] == pytest.approx(both)


def test_the_best_of_equal_scores_are_those_of_the_smallest_ids() -> None:
    matches = Matches(read({1: postings(range(5_000, 5_900))}, 1_000))
    best = matches.best(matches.scores([(1, 1.0)]), 300)
    assert [id for id, _ in best] == list(range(5_000, 5_300))


def test_what_no_passage_holds_has_no_hits() -> None:
    matches = Matches(read({1: None}, 1_000))
    assert matches.best(matches.scores([(1, 1.0)]), 10) == []
