"""A stand-in for OpenSearch on loopback: the few requests the retriever makes, in memory.

Scores are Lucene's BM25 with its one-byte lengths. What a request of another shape means it does
not know, and fails: it shows that the adapter agrees with its own idea of the protocol, no more.
"""

import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Document = dict[str, Any]


@contextmanager
def opensearch() -> Iterator[tuple[str, dict[str, dict[str, Document]]]]:
    """The URL of a fresh server, and its documents by index and id."""
    indexes: dict[str, dict[str, Document]] = {}
    handler = type("Handler", (_Handler,), {"indexes": indexes, "lock": threading.Lock()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", indexes
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    indexes: dict[str, dict[str, Document]]
    lock: threading.Lock

    def do_GET(self) -> None:
        index = urlsplit(self.path).path.strip("/")
        self._say(200, {index: {}} if index in self.indexes else {})

    def do_PUT(self) -> None:
        index, body = urlsplit(self.path).path.strip("/"), json.loads(self._body())
        with self.lock:
            if index in self.indexes:
                self._say(400, {"error": {"type": "resource_already_exists_exception"}})
                return
            assert body["mappings"]["dynamic"] == "strict"
            self.indexes[index] = {}
        self._say(200, {"acknowledged": True})

    def do_POST(self) -> None:
        url = urlsplit(self.path)
        _, index, action = url.path.split("/")
        asked = parse_qs(url.query)
        with self.lock:
            if action == "_bulk":
                assert asked["refresh"] == ["true"]
                self._say(200, self._bulk(index))
                return
            assert asked["ignore_unavailable"] == ["true"]
            body = json.loads(self._body())
            if action == "_delete_by_query":
                doomed = [i for i, d in self._of(index).items() if _holds(body["query"], i, d)]
                for id in doomed:
                    del self.indexes[index][id]
                self._say(200, {"deleted": len(doomed)})
                return
            assert action == "_search"
            self._say(200, self._search(index, body))

    def _of(self, index: str) -> dict[str, Document]:
        return self.indexes.get(index, {})

    def _bulk(self, index: str) -> dict[str, Any]:
        lines = [json.loads(line) for line in self._body().splitlines()]
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            self.indexes[index][action["index"]["_id"]] = document
        return {"errors": False}

    def _search(self, index: str, body: dict[str, Any]) -> dict[str, Any]:
        if index not in self.indexes:
            return {"hits": {"hits": []}}
        documents = self._of(index)
        answer: dict[str, Any] = {"hits": {"hits": []}}
        if body["size"]:
            scored = sorted(
                _scores(body["query"], documents).items(),
                key=lambda hit: (-hit[1], documents[hit[0]]["id"]),
            )
            answer["hits"]["hits"] = [
                {
                    "_id": id,
                    "_score": score,
                    "_source": {x: documents[id][x] for x in body["_source"] if x in documents[id]},
                }
                for id, score in scored[: body["size"]]
            ]
        if "aggs" in body:
            wanted = body["aggs"].get("all", {"aggs": body["aggs"]})["aggs"]
            counted = _aggregate(wanted, documents)
            answer["aggregations"] = {"all": counted} if "all" in body["aggs"] else counted
        return answer

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _say(self, status: int, body: Any) -> None:
        said = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Silent."""


def _scores(query: dict[str, Any], documents: dict[str, Document]) -> dict[str, float]:
    if "knn" in query:
        return _nearest(query["knn"]["vector"], documents)
    return {
        id: _bm25(query["bool"]["should"], document, documents) if "bool" in query else 1.0
        for id, document in documents.items()
        if _holds(query, id, document)
    }


def _nearest(asked: dict[str, Any], documents: dict[str, Document]) -> dict[str, float]:
    found = {}
    for id, document in documents.items():
        vector = document.get("vector")
        if vector is not None and _holds(asked.get("filter", {"bool": {}}), id, document):
            dot = sum(x * y for x, y in zip(asked["vector"], vector, strict=True))
            found[id] = (1 + dot / math.hypot(*vector) / math.hypot(*asked["vector"])) / 2
    best = sorted(found, key=lambda id: -found[id])[: asked["k"]]
    return {id: found[id] for id in best}


def _holds(query: dict[str, Any], id: str, document: Document) -> bool:
    ((kind, asked),) = query.items()
    if kind == "bool":
        should = [_holds(x, id, document) for x in asked.get("should", [])]
        return (
            sum(should) >= asked.get("minimum_should_match", 0)
            and all(_holds(x, id, document) for x in asked.get("filter", []))
            and not any(_holds(x, id, document) for x in asked.get("must_not", []))
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


def _aggregate(aggs: dict[str, Any], documents: dict[str, Document]) -> dict[str, Any]:
    assert set(aggs) <= {"passages", "length", "df"}
    counted: dict[str, Any] = {
        "passages": {"value": sum("id" in x for x in documents.values())},
        "length": {"value": sum(x["length"] for x in documents.values())},
    }
    if "df" in aggs:
        counted["df"] = {
            "buckets": {
                name: {"doc_count": sum(_holds(query, id, x) for id, x in documents.items())}
                for name, query in aggs["df"]["filters"]["filters"].items()
            }
        }
    return counted
