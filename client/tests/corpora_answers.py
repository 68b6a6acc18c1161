"""A server with one account's corpora, made up."""

import json
from typing import Any
from urllib.parse import unquote

import httpx
from answers import refusal

from citegrid.nouns.search.folder import digest

CORPUS: dict[str, Any] = {
    "id": "corp_a",
    "name": "notes",
    "documents": 0,
    "waiting": 0,
    "failed": 0,
    "bytes": 0,
    "created_at": "2026-11-21T09:00:00Z",
}


class Corpora:
    """Keeps what is uploaded. `refused` are keys that get a refusal, `unreadable` fail, `partial`
    lack some pages."""

    def __init__(
        self,
        *names: str,
        refused: dict[str, httpx.Response] | None = None,
        unreadable: dict[str, str] | None = None,
        partial: dict[str, str] | None = None,
    ) -> None:
        self.names = {f"corp_{name}": name for name in names}
        self.documents: dict[str, dict[str, Any]] = {}
        self.bodies: dict[str, tuple[str, bytes]] = {}
        self.refused, self.unreadable = refused or {}, unreadable or {}
        self.partial = partial or {}
        self.uploads: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().partition("?")[0]
        parts = [unquote(part) for part in path.split("/")[3:]]
        if not parts:
            return self._corpora(request)
        if len(parts) == 1:
            return self._corpus(request, parts[0])
        if len(parts) == 2:
            return self._listed(request)
        return self._document(request, parts[0], parts[2])

    def _corpora(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            name = json.loads(request.content)["name"]
            self.names[f"corp_{name}"] = name
            return httpx.Response(201, json=self._shown(f"corp_{name}"))
        shown = [self._shown(id) for id in self.names]
        return httpx.Response(200, json={"corpora": shown, "has_more": False, "next_cursor": None})

    def _corpus(self, request: httpx.Request, id: str) -> httpx.Response:
        if request.method == "DELETE":
            del self.names[id]
            return httpx.Response(204)
        if request.method == "PATCH":
            self.names[id] = json.loads(request.content)["name"]
        return httpx.Response(200, json=self._shown(id))

    def _listed(self, request: httpx.Request) -> httpx.Response:
        """Two to a page."""
        state = request.url.params.get("state")
        shown = [each for each in self.documents.values() if state in (None, each["state"])]
        start = int(request.url.params.get("cursor", "0"))
        following = str(start + 2) if len(shown) > start + 2 else None
        more = {"has_more": following is not None, "next_cursor": following}
        return httpx.Response(200, json={"documents": shown[start : start + 2], **more})

    def _document(self, request: httpx.Request, id: str, key: str) -> httpx.Response:
        if request.method == "PUT":
            return self._uploaded(request, id, key)
        if key not in self.documents:
            return refusal(404, "document_not_found")
        if request.method == "DELETE":
            del self.documents[key]
            return httpx.Response(204)
        if request.method == "PATCH":
            self.documents[key] |= json.loads(request.content)
        return httpx.Response(200, json=self.documents[key])

    def _uploaded(self, request: httpx.Request, id: str, key: str) -> httpx.Response:
        self.uploads.append(key)
        if key in self.refused:
            return self.refused[key]
        self.bodies[key] = (request.headers["content-type"], request.content)
        self.documents[key] = {
            "key": key,
            "corpus_id": id,
            "url": None,
            "state": "failed" if key in self.unreadable else "ready",
            "reason": {**self.partial, **self.unreadable}.get(key),
            "title": None,
            "language": None,
            "media_type": request.headers["content-type"],
            "bytes": len(request.content),
            "content_hash": digest(request.content),
            "version": 1,
            "passages": 1,
            "metadata": {},
            "uploaded_at": "2026-11-21T09:00:00Z",
            "read_at": None,
        }
        return httpx.Response(202, json=self.documents[key])

    def _shown(self, id: str) -> dict[str, Any]:
        states = [each["state"] for each in self.documents.values()]
        counts = {"documents": len(states), "failed": states.count("failed")}
        return {**CORPUS, "id": id, "name": self.names[id], **counts}
