"""Brute-force BM25 in memory: the oracle every other retriever is compared with."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from app.engine.search.interface import (
    Filter,
    Hit,
    IndexedPassage,
    IndexStats,
    LexQuery,
    bm25_weight,
)
from app.engine.text import analysis


@dataclass(slots=True)
class _Namespace:
    passages: dict[int, IndexedPassage] = field(default_factory=dict)
    counts: dict[int, Counter[str]] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    postings: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, passage: IndexedPassage, terms: list[str]) -> None:
        self.passages[passage.id] = passage
        self.counts[passage.id] = Counter(terms)
        self.lengths[passage.id] = len(terms)
        for term in self.counts[passage.id]:
            self.postings[term].add(passage.id)

    def remove(self, passage_id: int) -> None:
        if self.passages.pop(passage_id, None) is None:
            return
        del self.lengths[passage_id]
        for term in self.counts.pop(passage_id):
            self.postings[term].discard(passage_id)


class MemoryRetriever:
    """A `Retriever` that scores every passage holding a query term. Not thread-safe."""

    def __init__(self) -> None:
        self._spaces: defaultdict[str, _Namespace] = defaultdict(_Namespace)

    def upsert(self, ns: str, passages: Iterable[IndexedPassage]) -> None:
        space = self._spaces[ns]
        for passage in passages:
            space.remove(passage.id)
            space.add(passage, analysis.terms(passage.indexed_text, passage.language))

    def delete(self, ns: str, source_ids: Sequence[str]) -> None:
        space, doomed = self._spaces[ns], set(source_ids)
        for passage in [p for p in space.passages.values() if p.source_id in doomed]:
            space.remove(passage.id)

    def lexical(self, ns: str, query: LexQuery, k: int, where: Filter | None = None) -> list[Hit]:
        space = self._spaces[ns]
        stats = self.stats(ns, [term for term, _ in query.terms])
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in query.terms:
            idf = stats.idf(term) * weight
            for i in space.postings.get(term, ()):
                tf = space.counts[i][term]
                scores[i] += idf * bm25_weight(tf, space.lengths[i], stats.avgdl)
        for term in query.excluded:
            for i in space.postings.get(term, ()):
                scores.pop(i, None)
        return _best(scores.items(), k, space, where)

    def stats(self, ns: str, terms: Collection[str] = ()) -> IndexStats:
        space = self._spaces[ns]
        n = len(space.passages)
        df = {term: len(space.postings.get(term, ())) for term in terms}
        return IndexStats(n, sum(space.lengths.values()) / n if n else 0.0, df)


def _best(
    scores: Iterable[tuple[int, float]], k: int, space: _Namespace, where: Filter | None
) -> list[Hit]:
    hits = (Hit(i, s) for i, s in scores if where is None or where.admits(space.passages[i]))
    return heapq.nsmallest(k, hits, key=lambda hit: (-hit.score, hit.passage_id))
