"""A stand-in for OpenSearch on loopback: the few requests made of it, in memory.

It keeps what the documentation says of versions, deletions, aliases and refreshing, and is told
when to fail. What a request of another shape means it does not know: it shows that our code agrees
with its own idea of the protocol, no more (`tests/contract/test_opensearch_api.py` holds every
request against the published specification).
"""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.opensearch_queries import aggregate, holds, scores
from tests.patience import PATIENCE_SECONDS

Document = dict[str, Any]


@dataclass
class Index:
    """`documents` is what was written, `visible` what searches see until the next refresh."""

    body: dict[str, Any]
    documents: dict[str, Document] = field(default_factory=dict)
    visible: dict[str, Document] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)  # of deleted ones too

    def refresh(self) -> None:
        self.visible = dict(self.documents)


@dataclass(frozen=True)
class Exchange:
    """One request and its answer."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    status: int
    answer: Any


@dataclass
class StandIn:
    """What it holds, was asked, and is to do wrong."""

    url: str = ""
    indexes: dict[str, Index] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)
    failures: dict[str, list[int]] = field(default_factory=dict)
    """By the last part of a path: the statuses of the next answers, instead of doing anything."""
    item_status: Callable[[str], int | None] = lambda id: None
    """What a line of bulk about this id is refused with; None takes it."""
    after: Callable[[str], None] = lambda action: None
    """Called when a request was carried out, before it is answered."""
    padding: int = 0  # spaces before an answer
    hanging: dict[str, threading.Event] = field(default_factory=dict)

    def hang(self, action: str) -> threading.Event:
        """Answer no request with this last part of its path until the event is set."""
        return self.hanging.setdefault(action, threading.Event())

    def name(self, name: str) -> str | None:
        """The index of this name or alias."""
        name = self.aliases.get(name, name)
        return name if name in self.indexes else None

    def bulks(self) -> list[Exchange]:
        return [x for x in self.exchanges if x.path.endswith("/_bulk")]


@contextmanager
def opensearch(tls: ssl.SSLContext | None = None) -> Iterator[StandIn]:
    """A fresh server."""
    stand_in = StandIn()
    handler = type("Handler", (_Handler,), {"stand_in": stand_in, "lock": threading.Lock()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        stand_in.url = f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield stand_in
        finally:
            server.shutdown()
            thread.join()


class _Missing(Exception):
    """404 index_not_found_exception"""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: StandIn
    lock: threading.Lock

    def do_GET(self) -> None:
        self._answer()

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815

    def _answer(self) -> None:
        url = urlsplit(self.path)
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        body = self._read(parts[-1], raw)
        if parts[-1] in self.stand_in.hanging:
            self.stand_in.hanging[parts[-1]].wait(PATIENCE_SECONDS)
        planned = self.stand_in.failures.get(parts[-1], [])
        if planned:
            status, answer = planned.pop(0), _error("planned_exception", "as told")
        else:
            try:
                with self.lock:
                    status, answer = 200, self._do(parts, query, body)
            except _Missing:
                status, answer = 404, _error("index_not_found_exception", "no such index")
            except FileExistsError:
                status, answer = 400, _error("resource_already_exists_exception", "it is there")
            self.stand_in.after(parts[-1])
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.stand_in.exchanges.append(
            Exchange(self.command, url.path, query, headers, body, status, answer)
        )
        self._send(status, answer)

    @staticmethod
    def _read(action: str, raw: bytes) -> Any:
        if action in ("_bulk", "_msearch"):
            assert raw.endswith(b"\n")
            return [json.loads(line) for line in raw.splitlines()]
        return json.loads(raw) if raw else None

    def _do(self, parts: list[str], query: dict[str, str], body: Any) -> Any:
        if parts == [""]:
            return _ABOUT
        if parts == ["_aliases"]:
            return self._update_aliases(body["actions"])
        if parts[0] == "_alias":
            return self._meant_by(parts[1])
        if len(parts) == 1:
            return self._index_itself(parts[0], body)
        return getattr(self, parts[1])(parts[0], query, body)

    def _index_itself(self, name: str, body: Any) -> Any:
        indexes, aliases = self.stand_in.indexes, self.stand_in.aliases
        if self.command == "PUT":
            if self.stand_in.name(name):
                raise FileExistsError
            assert body["mappings"]["dynamic"] == "strict"
            indexes[name] = Index(body)
            aliases |= dict.fromkeys(body.get("aliases", {}), name)
            return {"acknowledged": True, "shards_acknowledged": True, "index": name}
        self._index(name)
        if self.command == "DELETE":
            del indexes[name]
            for alias in [alias for alias, index in aliases.items() if index == name]:
                del aliases[alias]
            return {"acknowledged": True}
        assert self.command == "HEAD"
        return None

    def _index(self, name: str) -> Index:
        known = self.stand_in.name(name)
        if known is None:
            raise _Missing
        return self.stand_in.indexes[known]

    def _meant_by(self, alias: str) -> Any:
        if alias not in self.stand_in.aliases:
            raise _Missing
        return {self.stand_in.aliases[alias]: {"aliases": {alias: {}}}}

    def _update_aliases(self, actions: list[Any]) -> Any:
        for action in actions:
            ((kind, what),) = action.items()
            if kind == "remove":
                assert self.stand_in.aliases.pop(what["alias"]) == what["index"]
            else:
                self._index(what["index"])
                self.stand_in.aliases[what["alias"]] = what["index"]
        return {"acknowledged": True}

    def _msearch(self, name: str, _query: dict[str, str], lines: list[Any]) -> Any:
        return {"took": 1, "responses": [self._search_or_error(name, x) for x in lines[1::2]]}

    def _refresh(self, name: str, _query: dict[str, str], _body: Any) -> Any:
        self._index(name).refresh()
        return {"_shards": _SHARDS}

    def _bulk(self, name: str, query: dict[str, str], lines: list[Any]) -> Any:
        if query.get("require_alias") == "true" and name not in self.stand_in.aliases:
            raise _Missing
        index, items, rest = self._index(name), [], iter(lines)
        for line in rest:
            ((kind, place),) = line.items()
            document = next(rest) if kind == "index" else None
            items.append({kind: self._write(index, kind, place, document)})
        if query.get("refresh") == "true":
            index.refresh()
        errors = any(outcome["status"] >= 300 for item in items for outcome in item.values())
        return {"took": 1, "errors": errors, "items": items}

    def _write(self, index: Index, kind: str, place: Any, document: Document | None) -> Any:
        id = place["_id"]
        outcome: dict[str, Any] = {"_index": "an-index", "_id": id}
        if (refused := self.stand_in.item_status(id)) is not None:
            return {**outcome, "status": refused, "error": {"type": "told_to", "reason": "so"}}
        assert document is None or set(document) <= set(index.body["mappings"]["properties"])
        before = index.versions.get(id, 0)
        version = place.get("version", before + 1)
        if version <= before:
            error = {"type": "version_conflict_engine_exception", "reason": "a later one is there"}
            return {**outcome, "status": 409, "error": error}
        index.versions[id] = version
        outcome |= {"_version": version, "_seq_no": 1, "_primary_term": 1, "_shards": _SHARDS}
        if document is not None:
            index.documents[id] = document
            return {**outcome, "status": 201, "result": "created"}
        there = index.documents.pop(id, None) is not None
        return {**outcome, "status": 200 if there else 404,
                "result": "deleted" if there else "not_found"}  # fmt: skip

    def _delete_by_query(self, name: str, query: dict[str, str], body: Any) -> Any:
        known = self.stand_in.name(name)
        if known is None:
            assert query["ignore_unavailable"] == "true"
            return {"deleted": 0}
        index = self.stand_in.indexes[known]
        doomed = [id for id, x in index.visible.items() if holds(body["query"], id, x)]
        for id in doomed:
            del index.documents[id]
        index.refresh()
        return {"took": 1, "timed_out": False, "deleted": len(doomed), "failures": []}

    def _search_or_error(self, name: str, body: Any) -> Any:
        try:
            return self._search(self._index(name).visible, body)
        except _Missing:
            return {**_error("index_not_found_exception", "no such index"), "status": 404}

    def _search(self, documents: dict[str, Document], body: Any) -> Any:
        hits = []
        if body["size"]:
            scored = sorted(
                scores(body["query"], documents).items(),
                key=lambda hit: (-hit[1], documents[hit[0]]["id"]),
            )
            hits = [
                {
                    "_index": "an-index",
                    "_id": id,
                    "_score": score,
                    "_source": {x: documents[id][x] for x in body["_source"] if x in documents[id]},
                }
                for id, score in scored[: body["size"]]
            ]
        counted = (
            {"aggregations": aggregate(body["aggregations"], documents)}
            if "aggregations" in body
            else {}
        )
        return {"took": 1, "timed_out": False, "_shards": _SHARDS, "status": 200,
                "hits": {"max_score": None, "hits": hits}, **counted}  # fmt: skip

    def _send(self, status: int, body: Any) -> None:
        text = b" " * self.stand_in.padding + json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            with suppress(ConnectionError):  # nobody waits for it any more
                self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Silent."""


_SHARDS = {"total": 1, "successful": 1, "failed": 0}
_ABOUT = {
    "name": "stand-in",
    "cluster_name": "tests",
    "cluster_uuid": "none",
    "version": {
        "distribution": "opensearch",
        "number": "2.19.1",
        "build_type": "tar",
        "build_hash": "none",
        "build_date": "2026-01-01T00:00:00Z",
        "build_snapshot": False,
        "lucene_version": "9.12.1",
        "minimum_wire_compatibility_version": "7.10.0",
        "minimum_index_compatibility_version": "7.0.0",
    },
    "tagline": "The OpenSearch Project: https://opensearch.org/",
}


def _error(kind: str, reason: str) -> dict[str, Any]:
    return {"error": {"type": kind, "reason": reason, "root_cause": []}, "status": 400}
