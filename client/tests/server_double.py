"""A server as nodes see it, made up: it hands out work and keeps what it hears."""

import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx

from citegrid.node.pace import Pace

TOKEN = "cgn_secret"
NODE = {
    "id": "node_a",
    "name": "node",
    "capabilities": {
        "work": ["extraction"],
        "models": [],
        "capacity": 4,
        "languages": [],
        "max_bytes": 1000,
    },
    "availability": "offline",
    "maintenance": False,
    "paused_until": None,
    "paused_reason": None,
    "seen_at": None,
    "former_token_until": None,
    "created_at": "2026-11-22T12:00:00Z",
}
LATER = "2100-01-01T00:00:00Z"
BEAT = {"maintenance": False, "paused_until": None, "paused_reason": None, "next_seconds": 15}

Answer = httpx.Response | Exception


def work(id: str = "work_a", kind: str = "nodes.extraction", **given: Any) -> dict[str, Any]:
    lease = {"fence": 1, "lease_until": LATER, "deadline_at": LATER}
    return {"id": id, "kind": kind, **lease, "input": given}


class Server:
    """`answers`: what a route is answered with first, in turn; then all is well."""

    def __init__(self, *handed_out: list[dict[str, Any]], **answers: list[Answer]) -> None:
        self._work = list(handed_out)
        self._answers = answers
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.tokens: set[str] = set()
        self.idle = anyio.Event()
        self.on: dict[str, Callable[[], None]] = {}

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        verb = request.url.path.rpartition("/")[2]
        body = json.loads(request.content)
        self.heard.append((verb, body))
        self.tokens.add(request.headers["authorization"])
        if verb in self.on:
            self.on[verb]()
        if self._answers.get(verb):
            answer = self._answers[verb].pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        return await self._well(verb)

    async def _well(self, verb: str) -> httpx.Response:
        match verb:
            case "heartbeat":
                return httpx.Response(200, json=BEAT)
            case "claim" if self._work:
                return httpx.Response(200, json={"work": self._work.pop(0)})
            case "claim":
                self.idle.set()
                await anyio.sleep_forever()
            case "extend":
                left = {"lease_until": LATER, "deadline_at": LATER, "cancelled": False}
                return httpx.Response(200, json=left)
            case "chunks":
                return httpx.Response(200, json={"stop": False})
            case "result":
                return httpx.Response(200, json={"id": "work_a", "answer": {}})
        return httpx.Response(204)

    def bodies(self, verb: str) -> list[dict[str, Any]]:
        return [body for heard, body in self.heard if heard == verb]

    def verbs(self) -> list[str]:
        return [verb for verb, _ in self.heard if verb != "heartbeat"]


class Hurried(Pace):
    """Remembers how long it would have waited."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.5)
        self.pauses: list[float] = []

    def after_failure(self, failures: int, retry_after: float | None = None) -> float:
        self.pauses.append(super().after_failure(failures, retry_after))
        return 0.0


class Notes:
    """Stands for a journal."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)

    def status(self, text: str) -> None:
        self.lines.append(text)
