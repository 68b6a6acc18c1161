"""The requests the OpenSearch retriever makes, as JSON: mapping, documents, queries, counts."""

from collections.abc import Collection, Sequence
from typing import Any

from app.engine.retrieval.interface import K1, B, Filter, IndexedPassage, LexQuery
from app.engine.text.analysis import primary_language

_MOST_CLAUSES = (
    1_000  # of one query; OpenSearch refuses 1,024 (indices.query.bool.max_clause_count)
)
_KEYWORD = {"type": "keyword"}


def index_body(dimensions: int | None) -> dict[str, Any]:
    """Settings and mapping of an index: what `PUT /index` is sent."""
    properties: dict[str, Any] = {
        "id": {"type": "long"},
        "source_id": _KEYWORD,
        "terms": {
            "type": "text",
            "analyzer": "split",
            "index_options": "freqs",
            "similarity": "ours",
        },
        "length": {"type": "integer"},
        "domains": _KEYWORD,
        "language": _KEYWORD,
        "corpus": _KEYWORD,
        "published_at": {"type": "date"},
        "fetched_at": {"type": "date"},
    }
    if dimensions:
        method = {"name": "hnsw", "space_type": "cosinesimil", "engine": "lucene"}
        properties["vector"] = {"type": "knn_vector", "dimension": dimensions, "method": method}
    return {
        "settings": {
            "index": {
                "knn": bool(dimensions),
                "similarity": {"ours": {"type": "BM25", "k1": K1, "b": B}},
                "analysis": {"analyzer": {"split": {"type": "custom", "tokenizer": "whitespace"}}},
            }
        },
        "mappings": {"dynamic": "strict", "properties": properties},
    }


def document(
    passage: IndexedPassage, terms: Sequence[str], dimensions: int | None
) -> dict[str, Any]:
    """A passage as it is stored: its terms and what filters ask about, not its text."""
    fields: dict[str, Any] = {
        "id": passage.id,
        "source_id": passage.source_id,
        "terms": " ".join(terms),
        "length": len(terms),
        "domains": _domains(passage.domain),
        "language": primary_language(passage.language) or None,
        "corpus": passage.corpus,
        "published_at": passage.published_at.isoformat() if passage.published_at else None,
        "fetched_at": passage.fetched_at.isoformat() if passage.fetched_at else None,
    }
    if dimensions and passage.vector is not None and any(passage.vector):
        fields["vector"] = list(passage.vector)
    return {name: value for name, value in fields.items() if value is not None}


def _domains(domain: str | None) -> list[str]:
    """The host and every domain it is below, so that a filter is one exact match."""
    labels = domain.split(".") if domain else []
    return [".".join(labels[i:]) for i in range(len(labels))]


def matching(query: LexQuery, where: Filter | None) -> dict[str, Any]:
    """Passages with a term of the query, without the excluded ones, as the filter allows."""
    clauses = _clauses(where or Filter())
    return {
        "bool": {
            "should": [
                {"term": {"terms": {"value": term, "boost": weight}}}
                for term, weight in query.terms[:_MOST_CLAUSES]
            ],
            "minimum_should_match": 1,
            "filter": clauses["filter"],
            "must_not": [
                *clauses["must_not"],
                *({"term": {"terms": {"value": term}}} for term in query.excluded),
            ],
        }
    }


def nearest(vector: Sequence[float], k: int, where: Filter | None) -> dict[str, Any]:
    """The k nearest vectors among what the filter allows."""
    neighbours: dict[str, Any] = {"vector": list(vector), "k": k}
    if where is not None and where != Filter():
        neighbours["filter"] = {"bool": _clauses(where)}
    return {"knn": {"vector": neighbours}}


def _clauses(where: Filter) -> dict[str, list[dict[str, Any]]]:
    allowed: list[dict[str, Any]] = []
    listed = {
        "domains": where.include_domains,
        "language": tuple(primary_language(code) for code in where.languages),
        "corpus": where.corpora,
    }
    allowed += [{"terms": {name: list(values)}} for name, values in listed.items() if values]
    bounds = {"published_at": where.published_after, "fetched_at": where.fetched_after}
    allowed += [
        {"range": {name: {"gte": bound.isoformat()}}} for name, bound in bounds.items() if bound
    ]
    excluded = where.exclude_domains
    refused = [{"terms": {"domains": list(excluded)}}] if excluded else []
    return {"filter": allowed, "must_not": refused}


def count_terms(terms: Collection[str]) -> dict[str, Any]:
    """Aggregations: passages, their length in all, and in how many each term occurs.

    Counted on living documents, unlike Lucene's own statistics, which forget deletions late.
    """
    counts: dict[str, Any] = {
        "passages": {"value_count": {"field": "id"}},
        "length": {"sum": {"field": "length"}},
    }
    if terms:
        counts["df"] = {
            "filters": {"filters": {str(i): {"term": {"terms": x}} for i, x in enumerate(terms)}}
        }
    return counts
