"""Answers about jobs, as a server writes them, and a command run over them."""

import json
from collections.abc import Callable
from typing import Any

import httpx
from answers import events

JOB: dict[str, Any] = {
    "id": "job_a",
    "type": "extraction",
    "status": "running",
    "stop_reason": None,
    "source": {"type": "crawl", "url": "https://shop.example.org/", "query": None, "count": 1},
    "schedule": None,
    "created_at": "2026-11-22T09:00:00Z",
    "started_at": "2026-11-22T09:00:01Z",
    "completed_at": None,
    "expires_at": None,
    "deadline_at": "2026-11-22T10:00:00Z",
    "next_run_at": None,
    "paused": False,
    "rerun_of": None,
    "progress": {
        "percent": 50,
        "stage": "reading",
        "pages_found": 2,
        "pages_done": 1,
        "pages_failed": 0,
        "records": 1,
    },
    "coverage": None,
    "warnings": [],
    "error": None,
    "metadata": {},
    "stats": {},
    "validation": None,
    "steps": None,
    "webhook": None,
}
DONE: dict[str, Any] = {
    **JOB,
    "status": "completed",
    "stop_reason": "done",
    "completed_at": "2026-11-22T09:00:05Z",
    "progress": {**JOB["progress"], "percent": 100, "stage": "done", "pages_done": 2, "records": 2},
}
FAILED: dict[str, Any] = {
    **JOB,
    "status": "failed",
    "stop_reason": "error",
    "error": {"code": "source_unreadable", "message": "Nothing was read.", "retryable": False},
}
VALIDATION: dict[str, Any] = {
    "sample_rate": 0.5,
    "sampled": 10,
    "compared": 9,
    "not_comparable": 1,
    "passed": 8,
    "failed": 1,
    "pass_rate": 0.89,
    "interval_95": [0.51, 0.99],
    "by": "other_methods",
    "fields": {"/name": {"compared": 9, "agreed": 8}},
    "failures": [],
}


def record(n: int, **data: Any) -> dict[str, Any]:
    quote = f"Lamp {n}"
    return {
        "id": f"rec_{n}",
        "url": f"https://shop.example.org/{n}",
        "final": True,
        "confidence": 0.9,
        "data": {"name": quote, "price": 9.5, **data},
        "unsatisfied": [],
        "candidates": {},
        "provenance": [
            {
                "pointer": "/name",
                "kind": "visible",
                "source_url": f"https://shop.example.org/{n}",
                "snapshot": "snap_a",
                "content_hash": "sha256:00",
                "fetched_at": "2026-11-22T09:00:02Z",
                "quote": quote,
                "start": 0,
                "end": len(quote),
                "prefix": "",
                "suffix": " 9.50",
                "selector": "/html/body/h1",
                "json_pointer": None,
                "method": "labels",
                "transform": "trim",
                "match": "exact",
                "confidence": 0.9,
            }
        ],
    }


OTHER_EXAMPLE = {"url": "https://shop.example.org/9", "data": {"name": "Lamp 9"}}
REQUEST: dict[str, Any] = {
    "id": "job_a",
    "request": {
        "type": "extraction",
        "source": {"type": "url", "url": "https://shop.example.org/"},
        "schema": {"properties": {"name": {"type": "string"}, "price": {"type": "number"}}},
        "examples": [{"url": "https://shop.example.org/1", "data": {"name": "?"}}, OTHER_EXAMPLE],
    },
}
RECORDS = [record(1), record(2, price=None)]
CSV = b"_id,_url,name,price\r\nrec_1,https://shop.example.org/1,Lamp 1,9.5\r\n"


class Jobs:
    """A server with one job, which ends as `ended` says."""

    def __init__(self, ended: dict[str, Any] = DONE, records: list[Any] | None = None) -> None:
        self.ended = ended
        self.records = RECORDS if records is None else records
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        path = request.url.path.removeprefix("/v1/extract")
        for end, answer in self._answers().items():
            if (request.method, path) == end:
                return answer(request)
        raise AssertionError(f"{request.method} {path}")

    def _answers(self) -> dict[tuple[str, str], Callable[[httpx.Request], httpx.Response]]:
        return {
            ("POST", "/jobs"): lambda _: httpx.Response(202, json=JOB),
            ("POST", "/jobs/job_a/rerun"): lambda _: httpx.Response(202, json=JOB),
            ("POST", "/jobs/job_a/cancel"): lambda _: httpx.Response(200, json=self.ended),
            ("DELETE", "/jobs/job_a"): lambda _: httpx.Response(204),
            ("GET", "/jobs/job_a"): lambda _: httpx.Response(200, json=self.ended),
            ("GET", "/jobs/job_a/request"): lambda _: httpx.Response(200, json=REQUEST),
            ("GET", "/jobs/job_a/events"): self._events,
            ("GET", "/jobs/job_a/records"): self._records,
            ("GET", "/jobs"): lambda _: page("jobs", [self.ended]),
        }

    def _events(self, _request: httpx.Request) -> httpx.Response:
        moved = {"id": "job_a", "status": "running", **JOB["progress"]}
        return events(("progress", "1", moved), ("completed", "end", self.ended))

    def _records(self, request: httpx.Request) -> httpx.Response:
        if request.headers["Accept"] == "text/csv":
            return httpx.Response(200, content=CSV, headers={"Content-Type": "text/csv"})
        return page("records", self.records)

    @property
    def body(self) -> Any:
        """What was started."""
        return json.loads(self.asked[0].content)


def page(name: str, items: list[Any]) -> httpx.Response:
    return httpx.Response(200, json={name: items, "has_more": False, "next_cursor": None})
