"""A server with one campaign: what it answers, and what it was asked."""

import json
from typing import Any

import httpx
from job_answers import page

AT = "2026-11-22T09:00:00Z"
CAMPAIGN: dict[str, Any] = {
    "id": "camp_a",
    "name": "Owls",
    "objective": "owls and how they live",
    "data_requirements": {"sources": ["web"], "freshness": "7d", "records_target": 2},
    "reward_budget": {"token": "USD", "amount": "2"},
    "validation": {"min_validators": 2, "require_citations": True},
    "schema": {"type": "object", "properties": {"title": {"type": "string"}}},
    "cadence": "7d",
    "starts_at": None,
    "ends_at": None,
    "state": "awaiting_funds",
    "reward_per_record": "1",
    "created_at": AT,
    "ended_at": None,
    "fresh_accepted": 0,
    "funded": "0",
    "available": "0",
    "reserved": "0",
    "spent": "0",
    "refunded": "0",
    "forecast": {"runs_left": None, "records_left": 0},
    "next_run_at": None,
}
RUN: dict[str, Any] = {
    "id": "crun_a",
    "tick": AT,
    "state": "closed",
    "report": {
        "asked": [{"kind": "web", "results": 3, "unread": 3}],
        "unserved_kinds": ["social"],
        "pages": 3,
        "outcomes": {"read": 3},
        "candidates": 2,
        "accepted": 2,
        "rejected": 0,
        "unresolved": 0,
        "duplicates": 1,
        "left_over": 0,
        "built_in": {"extracted": 3, "validated": 2},
        "skipped": None,
        "error": None,
    },
    "reserved": "2",
    "spent": "0",
    "deadline_at": AT,
    "created_at": AT,
    "ended_at": AT,
}
RECORD: dict[str, Any] = {
    "id": "crec_a",
    "run": "crun_a",
    "url": "https://owls.example/barn",
    "version": 1,
    "data": {"title": "Barn owls"},
    "provenance": [
        {
            "pointer": "/title",
            "kind": "visible",
            "source_url": "https://owls.example/barn",
            "snapshot": "snap_a",
            "content_hash": "sha256:0",
            "fetched_at": AT,
            "quote": "Barn owls",
            "start": 0,
            "end": 9,
            "prefix": "",
            "suffix": "",
            "selector": "/html/body/h1",
            "json_pointer": None,
            "method": "text",
            "transform": "none",
            "match": "exact",
            "confidence": 0.9,
        }
    ],
    "state": "accepted",
    "reasons": [],
    "duplicate_of": None,
    "contributed_by": "built_in",
    "verified_at": AT,
    "due_at": AT,
    "validated_by": [{"kind": "built_in", "check": "quotes", "verdict": "accept"}],
    "independent_votes": 0,
    "created_at": AT,
}


class Campaigns:
    """Answers by the end of the path."""

    def __init__(self, **changes: Any) -> None:
        self.campaign = {**CAMPAIGN, **changes}
        self.record = RECORD
        self.report: dict[str, Any] = {}  # what differs from the report of RUN
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        name = request.url.path.rpartition("/")[2]
        if name == "runs":
            return page(name, [{**RUN, "report": {**RUN["report"], **self.report}}])
        if name == "records":
            return page(name, [self.record])
        if name == "judgement":
            return httpx.Response(200, json={**RECORD, "owner_verdict": self.body["verdict"]})
        made = request.method == "POST" and name in ("campaigns", "fund")
        return httpx.Response(201 if made else 200, json=self.campaign)

    @property
    def body(self) -> Any:
        """Of the last request that had one."""
        return json.loads(next(each.content for each in reversed(self.asked) if each.content))
