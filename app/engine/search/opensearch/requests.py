"""The requests made of OpenSearch, as JSON: mapping, lines of bulk, queries, counts."""

import json
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any

from app.engine.search.interface import K1, B, Filter, IndexedPassage, LexQuery
from app.engine.text.scripts import primary_language

_MOST_CLAUSES = (
    1_000  # of one query; OpenSearch refuses 1,024 (indices.query.bool.max_clause_count)
)
_KEYWORD = {"type": "keyword"}
_LONGEST = 32_767  # terms of a passage as it is compared; Postgres counts no further
# How long a deletion is remembered, against a line sent before it that arrives after it.
_TOMBSTONES = "1h"

Phrases = Sequence[Sequence[Sequence[str]]]
"""For each phrase its readings, for each reading its terms."""


def index_body() -> dict[str, Any]:
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
        "digest": {"type": "long"},
        "domains": _KEYWORD,
        "language": _KEYWORD,
        "corpus": _KEYWORD,
        "published_at": {"type": "date"},
        "fetched_at": {"type": "date"},
    }
    return {
        "settings": {
            "index": {
                "gc_deletes": _TOMBSTONES,
                "auto_expand_replicas": "0-1",
                "similarity": {"ours": {"type": "BM25", "k1": K1, "b": B}},
                "analysis": {"analyzer": {"split": {"type": "custom", "tokenizer": "whitespace"}}},
            }
        },
        "mappings": {"dynamic": "strict", "properties": properties},
    }


def put(
    passage: IndexedPassage,
    terms: Sequence[str],
    *,
    version: int | None = None,
) -> str:
    """The lines of a bulk request that store a passage, unless it is there in that version."""
    return _lines({"index": _place(passage.id, version)}, _document(passage, terms))


def drop(id: int, version: int) -> str:
    """The line of a bulk request that deletes a passage, unless a later version is there."""
    return _lines({"delete": _place(id, version)})


def _place(id: int, version: int | None) -> dict[str, Any]:
    versioned = {} if version is None else {"version": version, "version_type": "external"}
    return {"_id": str(id), **versioned}


def _lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)


def _document(passage: IndexedPassage, terms: Sequence[str]) -> dict[str, Any]:
    """A passage as it is stored: its terms and what filters ask about, not its text."""
    fields: dict[str, Any] = {
        "id": passage.id,
        "source_id": passage.source_id,
        "terms": " ".join(terms),
        "length": len(terms),
        "digest": digest(passage, len(terms)),
        "domains": _domains(passage.domain),
        "language": primary_language(passage.language) or None,
        "corpus": passage.corpus,
        "published_at": passage.published_at.isoformat() if passage.published_at else None,
        "fetched_at": passage.fetched_at.isoformat() if passage.fetched_at else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def digest(passage: IndexedPassage, length: int) -> int:
    """31 bits of what a passage is: Postgres computes the same of its own index."""
    facts = (
        str(passage.id),
        passage.source_id,
        passage.corpus or "",
        passage.domain or "",
        primary_language(passage.language),
        str(min(length, _LONGEST)),
    )
    return int.from_bytes(sha256("|".join(facts).encode()).digest()[:4]) & 0x7FFF_FFFF


def _domains(domain: str | None) -> list[str]:
    """The host and every domain it is below, so that a filter is one exact match."""
    labels = domain.split(".") if domain else []
    return [".".join(labels[i:]) for i in range(len(labels))]


def lexical_body(
    query: LexQuery, size: int, where: Filter | None, phrases: Phrases
) -> dict[str, Any]:
    return {
        "size": size,
        "track_total_hits": False,
        "_source": ["terms"],
        "query": matching(query, where, phrases),
        "sort": ["_score", "id"],  # the best first; of equals the smallest id
    }


def matching(query: LexQuery, where: Filter | None, phrases: Phrases = ()) -> dict[str, Any]:
    """Passages with a term of the query, without the excluded ones, as the filter allows, and with
    all terms of a reading of each phrase."""
    clauses = _clauses(where or Filter())
    return {
        "bool": {
            "should": [
                {"term": {"terms": {"value": term, "boost": weight}}}
                for term, weight in query.terms[:_MOST_CLAUSES]
            ],
            "minimum_should_match": 1,
            "filter": [*clauses["filter"], *map(_any_reading, phrases)],
            "must_not": [*clauses["must_not"], *map(_holding, query.excluded)],
        }
    }


def _any_reading(readings: Sequence[Sequence[str]]) -> dict[str, Any]:
    each = [{"bool": {"filter": [_holding(term) for term in terms]}} for terms in readings]
    return {"bool": {"should": each, "minimum_should_match": 1}}


def _holding(term: str) -> dict[str, Any]:
    return {"term": {"terms": {"value": term}}}


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


def totals() -> dict[str, Any]:
    """Returns the request for the number of passages, and their length in all.

    The same for all searches, so that OpenSearch keeps the answer until the index changes.
    """
    return _counting(
        {
            "passages": {"value_count": {"field": "id"}},
            "length": {"sum": {"field": "length"}},
        }
    )


def frequencies(terms: Collection[str]) -> dict[str, Any]:
    """In how many passages each term occurs.

    Counted on living documents, unlike Lucene's own statistics, which forget deletions late.
    """
    if not terms:
        return _counting({})
    filters = {str(i): _holding(term) for i, term in enumerate(terms)}
    return _counting({"df": {"filters": {"filters": filters}}})


def buckets(width: int) -> dict[str, Any]:
    """Passages in runs of `width` ids: how many, and the sum of their digests."""
    parts = {"digest": {"sum": {"field": "digest"}}}
    runs = {
        "histogram": {"field": "id", "interval": width, "min_doc_count": 1},
        "aggregations": parts,
    }
    return _counting({"runs": runs})


def _counting(aggregations: dict[str, Any]) -> dict[str, Any]:
    counted = {"aggregations": aggregations} if aggregations else {}
    return {"size": 0, "track_total_hits": False, **counted}
