"""A `Retriever` on OpenSearch, for more passages than one Postgres should answer for.

The index holds our own terms, split at spaces and not analysed again, and OpenSearch only finds
candidates with them: Lucene keeps the length of a passage in one byte, so the score of each
candidate is computed anew from its terms and exact statistics. It then equals that of every other
retriever; only a passage near the k-th place can be missed. `make interop` holds the contract suite
against a real server, `make test` against a stand-in.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from app.engine.search.interface import (
    Filter,
    Hit,
    IndexedPassage,
    IndexStats,
    LexQuery,
)
from app.engine.search.opensearch.client import Cluster
from app.engine.search.opensearch.requests import (
    Phrases,
    frequencies,
    index_body,
    lexical_body,
    put,
    totals,
)
from app.engine.search.remote import IndexFailed
from app.engine.search.score_scale import bm25
from app.engine.text import analysis

_T = TypeVar("_T")
_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_BATCH = 500  # documents of one bulk request, sources of one deletion
_SPARE = 20  # candidates beyond half as many again as requested
_MOST_HITS = 10_000  # OpenSearch's own limit, index.max_result_window


class OpenSearchRetriever:
    """BM25 in OpenSearch 2.4 or newer; threads may share it.

    Each namespace is an index (or an alias of one), `prefix` + namespace, made by the first
    `upsert`; without one nothing is found. Writes are visible when they return. Every method raises
    IndexFailed; one that fails half-way may be repeated. Namespaces are lower-case letters, digits,
    - and _; others raise ValueError.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        prefix: str = "citegrid-",
        seconds: float = 10.0,
    ) -> None:
        """`seconds` bounds each request."""
        self.cluster = cluster
        self._prefix, self._seconds = prefix, seconds
        self._made: set[str] = set()

    def upsert(self, ns: str, passages: Iterable[IndexedPassage]) -> None:
        index = self._index(ns)
        if index not in self._made:
            self.cluster.create(index, index_body(), self._seconds)
            self._made.add(index)
        by_id = {passage.id: passage for passage in passages}
        for some in _batches(list(by_id.values())):
            lines = (
                put(passage, analysis.terms(passage.indexed_text, passage.language))
                for passage in some
            )
            outcomes = self.cluster.bulk(index, "".join(lines), self._seconds, refresh=True)
            if any(outcome["status"] >= 300 for outcome in outcomes):
                raise IndexFailed(self.cluster.host, "refused", "a passage")

    def delete(self, ns: str, source_ids: Sequence[str]) -> None:
        for some in _batches(source_ids):
            query = {"terms": {"source_id": list(some)}}
            self.cluster.delete_matching(self._index(ns), query, self._seconds)

    def lexical(self, ns: str, query: LexQuery, k: int, where: Filter | None = None) -> list[Hit]:
        return self.read(ns, ()).lexical(query, k, where)

    def read(self, ns: str, terms: Iterable[str]) -> "OpenSearchMatches":
        """Returns the matches to ask about one query; statistics come with its first hits."""
        return OpenSearchMatches(self, ns)

    def stats(self, ns: str, terms: Collection[str] = ()) -> IndexStats:
        answers = self.search(ns, [totals(), frequencies(terms)])
        with self.cluster.reading():
            return _stats(terms, answers)

    def search(self, ns: str, bodies: Sequence[Mapping[str, Any]]) -> list[Any]:
        """The answers to searches of a namespace; none where it has no index."""
        limited = [{**body, "timeout": f"{self._seconds * 1000:.0f}ms"} for body in bodies]
        try:
            return self.cluster.searches(self._index(ns), limited, self._seconds)
        except IndexFailed as failed:
            if failed.reason == "missing":
                return []
            raise

    def _index(self, ns: str) -> str:
        if not _NAMESPACE.fullmatch(ns):
            raise ValueError("a namespace is made of lower-case letters, digits, - and _")
        return self._prefix + ns


class OpenSearchMatches:
    """Hits and statistics for one query, in as few requests as that takes."""

    def __init__(self, retriever: OpenSearchRetriever, ns: str) -> None:
        self._retriever, self._ns = retriever, ns
        self._known: IndexStats | None = None

    def lexical(
        self,
        query: LexQuery,
        k: int,
        where: Filter | None = None,
        phrases: Phrases = (),
    ) -> list[Hit]:
        """The `k` best by BM25, of those with all terms of a reading of each phrase."""
        if not query.terms or k < 1:
            return []
        size = min(k + k // 2 + _SPARE, _MOST_HITS)
        terms = [term for term, _ in query.terms]
        counts = [] if self._covers(terms) else [totals(), frequencies(terms)]
        answers = self._retriever.search(
            self._ns, [lexical_body(query, size, where, phrases), *counts]
        )
        if not answers:
            return []
        with self._retriever.cluster.reading():
            stats = self._known = _stats(terms, answers[1:]) if counts else self._known
            hits = [
                Hit(
                    int(hit["_id"]),
                    bm25(query, stats, hit["_source"]["terms"].split(" ")) if stats else 0.0,
                )
                for hit in answers[0]["hits"]["hits"]
            ]
        return _best(hits, k)

    def stats(self, terms: Collection[str]) -> IndexStats:
        known = self._known
        if known is None or not self._covers(terms):
            return self._retriever.stats(self._ns, terms)
        return IndexStats(known.n, known.avgdl, {term: known.df[term] for term in terms})

    def _covers(self, terms: Collection[str]) -> bool:
        return self._known is not None and self._known.df.keys() >= set(terms)


def _batches(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    return (items[i : i + _BATCH] for i in range(0, len(items), _BATCH))


def _stats(terms: Collection[str], answers: Sequence[Mapping[str, Any]]) -> IndexStats:
    """Of `totals` and `frequencies`; nothing is counted where there is no index yet."""
    if not answers:
        return IndexStats(0, 0.0, dict.fromkeys(terms, 0))
    total = answers[0]["aggregations"]
    buckets = answers[1]["aggregations"]["df"]["buckets"] if terms else {}
    n = int(total["passages"]["value"])
    df = {term: int(buckets[str(i)]["doc_count"]) for i, term in enumerate(terms)}
    return IndexStats(n, float(total["length"]["value"]) / n if n else 0.0, df)


def _best(hits: Iterable[Hit], k: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))[:k]
