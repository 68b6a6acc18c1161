"""Answers of a server, as it writes them."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx

RUNNING: dict[str, Any] = {
    "id": "srch_a",
    "status": "running",
    "query": "How many eggs?",
    "created_at": "2026-11-21T09:00:00Z",
    "started_at": None,
    "completed_at": None,
    "expires_at": "2026-12-21T09:00:00Z",
    "deadline_at": "2026-11-21T09:02:00Z",
    "progress": {
        "percent": 10,
        "stage": "reading",
        "sources_found": 2,
        "pages": [{"url": "https://birds.example.org/owls", "title": "Barn owls"}],
    },
    "attempts": 1,
    "warnings": [],
}
PAGE = "A clutch holds four to seven eggs."
QUALITY = {"relevance": 0.9, "authority": None, "freshness": 0.5, "content": 1, "agreement": None}
EXCERPT: dict[str, Any] = {
    "text": PAGE,
    "start": 0,
    "end": 34,
    "lead_start": 15,
    "lead_end": 33,
    "headings": ["Barn owls", "Breeding"],
    "score": 1.0,
}
COMPLETED: dict[str, Any] = {
    **RUNNING,
    "status": "completed",
    "completed_at": "2026-11-21T09:00:01.25Z",
    "progress": {"percent": 100, "stage": "done", "sources_found": 1, "pages": []},
    "result": {
        "answer": "Four to seven eggs. [1]",
        "answered": True,
        "answer_mode": "extractive",
        "sources": [
            {
                "n": 1,
                "title": "Barn owls",
                "url": "https://birds.example.org/owls",
                "quality_score": 0.83,
                "quality": {**QUALITY, "formula": "mean"},
                "published_at": None,
                "fetched_at": "2026-11-20T08:00:00Z",
                "content_hash": f"sha256:{hashlib.sha256(PAGE.encode()).hexdigest()}",
                "excerpts": [EXCERPT],
            }
        ],
        "citations": [
            {
                "n": 1,
                "source": 1,
                "quote": "four to seven eggs",
                "start": 15,
                "end": 33,
                "prefix": "A clutch holds ",
                "suffix": ".",
                "answer_start": 0,
                "answer_end": 19,
                "match": "exact",
                "support": "verified",
                "lead_start": 15,
                "lead_end": 33,
                "headings": ["Barn owls", "Breeding"],
            }
        ],
        "contradictions": [],
        "stats": {"engines": [], "pages_read": 1, "seconds": {"rank": 0.01}},
        "confidence": 0.93,
        "sources_confidence": 0.97,
        "state": "answered",
    },
}
FAILED: dict[str, Any] = {
    **RUNNING,
    "status": "failed",
    "error": {"code": "deadline_exceeded", "message": "Too late.", "retryable": True},
}


def completed(citation: dict[str, Any] | None = None, **result: Any) -> dict[str, Any]:
    """A completed search with something else in its citation and in its result."""
    changed: dict[str, Any] = json.loads(json.dumps(COMPLETED))
    changed["result"]["citations"][0] |= citation or {}
    changed["result"] |= result
    return changed


def accepted() -> httpx.Response:
    return httpx.Response(202, json={"id": "srch_a", "status": "running"})


def refusal(
    status: int, code: str, headers: dict[str, str] | None = None, **more: Any
) -> httpx.Response:
    """An error of the server."""
    error = {"code": code, "message": "No.", "request_id": "req_a", **more}
    return httpx.Response(status, json={"error": error}, headers=headers)


def in_turn(*answers: httpx.Response | Exception) -> Callable[[httpx.Request], httpx.Response]:
    """One after the other; more requests than answers fail the test."""
    left: Iterator[httpx.Response | Exception] = iter(answers)

    def handler(_request: httpx.Request) -> httpx.Response:
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return handler


class Recording:
    """Keeps what was asked and answers in turn."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.asked: list[httpx.Request] = []
        self._answer = in_turn(*answers)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self._answer(request)


def events(*told: tuple[str, str, Any]) -> httpx.Response:
    """A stream of server-sent events: name, id and data of each."""
    text = "".join(f"event: {n}\nid: {i}\ndata: {json.dumps(d)}\n\n" for n, i, d in told)
    return httpx.Response(200, text=text, headers={"Content-Type": "text/event-stream"})


def snapshot(text: str = PAGE) -> httpx.Response:
    """The stored text of the source that was hashed as `PAGE`."""
    body = {
        "url": "https://birds.example.org/owls",
        "title": None,
        "text": text,
        "content_hash": COMPLETED["result"]["sources"][0]["content_hash"],
        "language": "en",
        "published_at": None,
        "fetched_at": "2026-11-20T08:00:00Z",
    }
    return httpx.Response(200, json=body)
