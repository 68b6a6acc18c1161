"""A `Retriever` on OpenSearch, for more passages than one Postgres should hold.

The index holds our own terms, split at spaces and not analysed again, and OpenSearch only finds
candidates with them: Lucene keeps the length of a passage in one byte, so the score of each
candidate is computed anew from its terms and exact statistics. It then equals that of every other
retriever; only a passage near the k-th place can be missed. Held by the contract suite against a
double that speaks the few requests made here: this adapter has not met a real server.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from app.engine.origin import Origin, OriginFailed
from app.engine.retrieval.interface import (
    Capability,
    Filter,
    Hit,
    IndexedPassage,
    LexQuery,
    Stats,
    bm25_weight,
)
from app.engine.retrieval.memory import cosine
from app.engine.retrieval.opensearch_requests import (
    count_terms,
    document,
    index_body,
    matching,
    nearest,
)
from app.engine.text.analysis import Analyzer

_T = TypeVar("_T")
_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_BATCH = 500  # documents of one bulk request, sources of one deletion
_SPARE = 20  # candidates beyond half as many again as asked for
_MOST_HITS = 10_000  # OpenSearch's own limit, index.max_result_window


class OpenSearchRetriever:
    """BM25, and with `dimensions` k-NN, in OpenSearch 2.4 or newer; threads may share it.

    Each namespace is an index of its own, `prefix` + namespace, made by the first `upsert`. Writes
    are visible when they return. Every method raises OriginFailed; one that fails half-way may be
    repeated. Namespaces are lower-case letters, digits, - and _; others raise ValueError.
    """

    def __init__(
        self,
        origin: Origin,
        analyzer: Analyzer,
        *,
        prefix: str = "citegrid-",
        dimensions: int | None = None,
        seconds: float = 10.0,
    ) -> None:
        """`dimensions` is the length of vectors, None for an index without; `seconds` bounds each
        request."""
        self._origin, self._analyzer = origin, analyzer
        self._prefix, self._dimensions, self._seconds = prefix, dimensions, seconds
        self._made: set[str] = set()

    @property
    def capabilities(self) -> frozenset[Capability]:
        lexical: frozenset[Capability] = frozenset({"lexical", "filters", "stats"})
        return lexical | {"vector"} if self._dimensions else lexical

    def upsert(self, ns: str, passages: Iterable[IndexedPassage]) -> None:
        index = self._index(ns)
        self._make(index)
        by_id = {passage.id: passage for passage in passages}
        for some in _batches(list(by_id.values())):
            self._bulk(index, some)

    def delete(self, ns: str, source_ids: Sequence[str]) -> None:
        path = f"/{self._index(ns)}/_delete_by_query?refresh=true&ignore_unavailable=true"
        for some in _batches(source_ids):
            query = {"query": {"terms": {"source_id": list(some)}}}
            self._origin.post(path, query, seconds=self._seconds)

    def lexical(self, ns: str, query: LexQuery, k: int, where: Filter | None = None) -> list[Hit]:
        if not query.terms or k < 1:
            return []
        size = min(k + k // 2 + _SPARE, _MOST_HITS)
        terms = [term for term, _ in query.terms]
        found = self._search(
            ns,
            {
                "size": size,
                "_source": ["terms"],
                "query": matching(query, where),
                "sort": [{"_score": "desc"}, {"id": "asc"}],
                "aggs": {"all": {"global": {}, "aggs": count_terms(terms)}},
            },
        )
        stats = _stats(terms, found.get("aggregations", {}).get("all", {}))
        hits = (
            Hit(int(hit["_id"]), _bm25(query, hit["_source"]["terms"].split(" "), stats))
            for hit in found["hits"]["hits"]
        )
        return _best(hits, k)

    def vector(
        self, ns: str, vector: Sequence[float], k: int, where: Filter | None = None
    ) -> list[Hit]:
        """Approximate: OpenSearch walks a graph. None without `dimensions` or for zeros."""
        if not self._dimensions or k < 1 or not any(vector):
            return []
        query = nearest(vector, min(k, _MOST_HITS), where)
        found = self._search(
            ns, {"size": min(k, _MOST_HITS), "_source": ["vector"], "query": query}
        )
        hits = (
            Hit(int(hit["_id"]), cosine(vector, hit["_source"]["vector"]))
            for hit in found["hits"]["hits"]
        )
        return _best(hits, k)

    def vectors_for(self, ns: str, ids: Sequence[int]) -> Mapping[int, Sequence[float]]:
        vectors: dict[int, Sequence[float]] = {}
        for some in _batches(ids if self._dimensions else []):
            body = {"ids": {"values": [str(id) for id in some]}}
            found = self._search(ns, {"size": len(some), "_source": ["vector"], "query": body})
            for hit in found["hits"]["hits"]:
                if "vector" in hit["_source"]:
                    vectors[int(hit["_id"])] = tuple(hit["_source"]["vector"])
        return vectors

    def stats(self, ns: str, terms: Collection[str] = ()) -> Stats:
        found = self._search(ns, {"size": 0, "aggs": count_terms(terms)})
        return _stats(terms, found.get("aggregations", {}))

    def _index(self, ns: str) -> str:
        if not _NAMESPACE.fullmatch(ns):
            raise ValueError("a namespace is made of lower-case letters, digits, - and _")
        return self._prefix + ns

    def _make(self, index: str) -> None:
        if index in self._made or self._exists(index):
            self._made.add(index)
            return
        try:
            self._origin.put(f"/{index}", index_body(self._dimensions), seconds=self._seconds)
        except OriginFailed:
            if not self._exists(index):  # else somebody was quicker
                raise
        self._made.add(index)

    def _exists(self, index: str) -> bool:
        params = {"ignore_unavailable": "true"}
        return bool(self._origin.get(f"/{index}", params, seconds=self._seconds))

    def _bulk(self, index: str, passages: Sequence[IndexedPassage]) -> None:
        lines: list[dict[str, Any]] = []
        for passage in passages:
            terms = self._analyzer.terms(passage.indexed_text, passage.language)
            lines.append({"index": {"_id": str(passage.id)}})
            lines.append(document(passage, terms, self._dimensions))
        path = f"/{index}/_bulk?refresh=true"
        answer = self._origin.post_lines(path, lines, seconds=self._seconds)
        if answer["errors"]:
            raise OriginFailed(self._origin.host, "refused")

    def _search(self, ns: str, body: dict[str, Any]) -> Any:
        path = f"/{self._index(ns)}/_search?ignore_unavailable=true"
        return self._origin.post(path, body, seconds=self._seconds)


def _batches(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    return (items[i : i + _BATCH] for i in range(0, len(items), _BATCH))


def _stats(terms: Collection[str], counted: Mapping[str, Any]) -> Stats:
    """Of `count_terms`; nothing is counted where there is no index yet."""
    if not counted:
        return Stats(0, 0.0, dict.fromkeys(terms, 0))
    n = int(counted["passages"]["value"])
    df = {term: int(counted["df"]["buckets"][str(i)]["doc_count"]) for i, term in enumerate(terms)}
    return Stats(n, float(counted["length"]["value"]) / n if n else 0.0, df)


def _bm25(query: LexQuery, terms: Sequence[str], stats: Stats) -> float:
    counts = Counter(terms)
    return sum(
        weight * stats.idf(term) * bm25_weight(counts[term], len(terms), stats.avgdl)
        for term, weight in query.terms
        if term in counts
    )


def _best(hits: Iterable[Hit], k: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage_id))[:k]
