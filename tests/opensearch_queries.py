"""What the stand-in for OpenSearch makes of queries and aggregations; scores are Lucene's BM25 with
its one-byte lengths."""

import math
from datetime import datetime
from typing import Any

Document = dict[str, Any]


def scores(query: dict[str, Any], documents: dict[str, Document]) -> dict[str, float]:
    return {
        id: _bm25(query["bool"]["should"], document, documents) if "bool" in query else 1.0
        for id, document in documents.items()
        if holds(query, id, document)
    }


def holds(query: dict[str, Any], id: str, document: Document) -> bool:
    ((kind, asked),) = query.items()
    if kind == "bool":
        should = [holds(x, id, document) for x in asked.get("should", [])]
        return (
            sum(should) >= asked.get("minimum_should_match", 0)
            and all(holds(x, id, document) for x in asked.get("filter", []))
            and not any(holds(x, id, document) for x in asked.get("must_not", []))
        )
    if kind == "ids":
        return id in asked["values"]
    ((name, wanted),) = asked.items()
    if kind == "range":
        at = document.get(name)
        return at is not None and datetime.fromisoformat(at) >= datetime.fromisoformat(
            wanted["gte"]
        )
    held = document.get(name, [])
    held = held if isinstance(held, list) else held.split(" ") if name == "terms" else [held]
    values = (
        wanted if kind == "terms" else [wanted["value"] if isinstance(wanted, dict) else wanted]
    )
    return any(value in held for value in values)


def _bm25(
    should: list[dict[str, Any]], document: Document, documents: dict[str, Document]
) -> float:
    terms, total = document["terms"].split(" "), 0.0
    mean = sum(x["length"] for x in documents.values()) / len(documents)
    for clause in should:
        asked = clause["term"]["terms"]
        tf = terms.count(asked["value"])
        df = sum(asked["value"] in x["terms"].split(" ") for x in documents.values())
        idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        norm = 1.2 * (0.25 + 0.75 * _one_byte(len(terms)) / mean)
        total += asked["boost"] * idf * tf / (tf + norm) if tf else 0.0
    return total


def _one_byte(length: int) -> int:
    """A length as Lucene remembers it (SmallFloat.intToByte4): four bits beyond 24."""
    above = length - 24
    if above < 16:
        return length
    shift = above.bit_length() - 4
    return 24 + (above >> shift << shift)


def aggregate(aggs: dict[str, Any], documents: dict[str, Document]) -> dict[str, Any]:
    return {name: _aggregated(wanted, documents) for name, wanted in aggs.items()}


def _aggregated(wanted: dict[str, Any], documents: dict[str, Document]) -> dict[str, Any]:
    (kind,) = wanted.keys() - {"aggregations"}
    options, each = wanted[kind], documents.values()
    if kind == "value_count":
        return {"value": sum(options["field"] in x for x in each)}
    if kind == "sum":
        return {"value": float(sum(x[options["field"]] for x in each))}
    if kind == "filters":
        counts = {
            name: sum(holds(query, id, x) for id, x in documents.items())
            for name, query in options["filters"].items()
        }
        return {"buckets": {name: {"doc_count": n} for name, n in counts.items()}}
    assert kind == "histogram"
    width, runs = options["interval"], {}
    for id, document in documents.items():
        runs.setdefault(document[options["field"]] // width * width, {})[id] = document
    return {
        "buckets": [
            {"key": float(key), "doc_count": len(run), **aggregate(wanted["aggregations"], run)}
            for key, run in sorted(runs.items())
        ]
    }
