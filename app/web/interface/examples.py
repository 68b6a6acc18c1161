"""Examples of bodies and answers, made from their schemas and one table of values."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from app.web.interface.nodes import Node, resolve

IDENTIFIER: Final = "aerxk6j2c5hnzb7qv3mfwd4lya"
PREFIX: Final = re.compile(r"\^([a-z]+)_\[")
QUOTE: Final = "A clutch holds four to seven eggs, which hatch after 30 days."
TEXT: Final = f"{QUOTE} Both parents feed the young."
ANSWER: Final = f"{QUOTE} [1]"

_ATTEMPT: Final = {
    "at": "2026-11-21T09:00:00Z",
    "status": 200,
    "error": None,
    "milliseconds": 84,
    "answer": "ok",
}

PRICE: Final = "$1,299.50"
PAGE_TEXT: Final = f"Desk lamp\nPrice: {PRICE} incl. VAT"
RECORD: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number", "minimum": 0}},
    "required": ["name"],
}

_SOURCE: Final = {
    "type": "crawl",
    "url": "https://shop.example.org/lamps",
    "query": None,
    "count": 1,
}

_KEY: Final = {
    "id": f"key_{IDENTIFIER}",
    "name": "laptop",
    "prefix": "cgk_live_",
    "last_four": "w7Qk",
}

VALUES: Final[Mapping[str, Any]] = {
    "Reputation.in_probation": False,
    "Reputation.interval_90": [0.8986, 0.9706],
    "Reputation.mean": 0.9391,
    "Reputation.right": 100,
    "Reputation.suspended_at": None,
    "Reputation.suspended_reason": None,
    "Reputation.wrong": 5,
    "Capabilities.work": ["extraction", "validation"],
    "CampaignEntry.amount": "-2",
    "CampaignEntry.kind": "escrow",
    "CampaignEntry.token": "USD",
    "CampaignEntry.why": "reserve",
    "CampaignQuote.content_hash": f"sha256:{sha256(PAGE_TEXT.encode()).hexdigest()}",
    "CampaignQuote.end": PAGE_TEXT.index(PRICE) + len(PRICE),
    "CampaignQuote.json_pointer": None,
    "CampaignQuote.kind": "visible",
    "CampaignQuote.match": "exact",
    "CampaignQuote.method": "labels",
    "CampaignQuote.pointer": "/price",
    "CampaignQuote.prefix": "Price: ",
    "CampaignQuote.quote": PRICE,
    "CampaignQuote.selector": "/html/body/main/p[2]",
    "CampaignQuote.source_url": "https://shop.example.org/lamps/7",
    "CampaignQuote.start": PAGE_TEXT.index(PRICE),
    "CampaignQuote.suffix": " incl. VAT",
    "CampaignQuote.transform": "price",
    "CampaignRecord.data": {"name": "Desk lamp", "price": 1299.5},
    "CampaignRecord.duplicate_of": None,
    "CampaignRecord.reasons": [],
    "CampaignRecord.validated_by": [{"kind": "node", "verdict": "accept"}],
    "CampaignReport.error": None,
    "CampaignReport.outcomes": {"read": 8},
    "CampaignReport.skipped": None,
    "CampaignReport.unserved_kinds": [],
    "CampaignRun.reserved": "2",
    "CampaignRun.spent": "1.4",
    "CampaignWork.by": "node",
    "CampaignWork.kinds": ["web"],
    "CampaignWork.outcome": "read",
    "CampaignWork.rechecks": [],
    "BudgetPoint.amount": "3.6",
    "CampaignBurnDown.even_pace": [],
    "CampaignOut.available": "1.6",
    "CampaignOut.ended_at": None,
    "CampaignOut.ends_at": None,
    "CampaignOut.funded": "5",
    "CampaignOut.refunded": "0",
    "CampaignOut.reserved": "2",
    "CampaignOut.reward_per_record": "0.1",
    "CampaignOut.schema": RECORD,
    "CampaignOut.spent": "1.4",
    "CampaignOut.starts_at": None,
    "CampaignOut.state": "active",
    "CampaignSpending.amount": "1.4",
    "CampaignSpending.why": "record accepted",
    "CampaignStatistics.usual_run": "0.7",
    "CampaignIn.cadence": "1d",
    "CampaignIn.ends_at": "2027-11-21T09:00:00Z",
    "CampaignIn.schema": RECORD,
    "CampaignIn.starts_at": "2026-11-21T09:00:00Z",
    "FundIn.amount": "5",
    "RateLimit.requests": 1800,
    "RateLimit.seconds": 60,
    **dict.fromkeys(("RequestListed.api_key", "RequestWhole.api_key"), _KEY),
    **dict.fromkeys(("RequestListed.code", "RequestWhole.code"), None),
    **dict.fromkeys(("RequestListed.cost", "RequestWhole.cost"), None),
    **dict.fromkeys(("RequestListed.method", "RequestWhole.method"), "POST"),
    **dict.fromkeys(("RequestListed.milliseconds", "RequestWhole.milliseconds"), 8.4),
    **dict.fromkeys(("RequestListed.operation", "RequestWhole.operation"), "createSearch"),
    **dict.fromkeys(("RequestListed.path", "RequestWhole.path"), "/external/v1/search"),
    **dict.fromkeys(("RequestListed.status", "RequestWhole.status"), 202),
    "RequestWhole.error": None,
    "RequestWhole.headers": {"User-Agent": "citegrid/0.1.0"},
    "RequestWhole.made": f"srch_{IDENTIFIER}",
    "RequestWhole.route": "/external/v1/search",
    "UsageKey.last_four": "w7Qk",
    "UsageLine.api_key": None,
    "UsageLine.counts": {"requests": 412, "searches": 87},
    "UsageLine.name": "2026-11-22",
    "UsageSpent.amount": "0.25",
    "UsageTotal.counts": {"requests": 412, "searches": 87},
    "WaitingJobs.most": 5000,
    "WaitingJobs.now": 2,
    "RequirementsIn.freshness": "7d",
    "RequirementsIn.sources": ["web"],
    "RequirementsOut.freshness": "7d",
    "RequirementsOut.sources": ["web"],
    "RewardBudget.amount": "5",
    "RewardBudget.token": "USD",
    "RewardBudgetIn.amount": "5",
    "RewardBudgetIn.token": "USD",
    "ChangeOut.difference": None,
    "ChatIn.messages": [{"role": "user", "content": "Why is the sky blue?"}],
    "ChoiceOut.logprobs": None,
    "ChunksIn.data": [
        {"choices": [{"index": 0, "delta": {"content": "Blue"}, "finish_reason": "stop"}]}
    ],
    "MessageOut.content": "Blue light is scattered most.",
    "ModelsOut.data": [
        {"id": "example/model-7b", "object": "model", "created": 0, "owned_by": "providers"}
    ],
    "ExtractionIn.schema": RECORD,
    "JobListed.coverage": 0.94,
    "JobListed.error": None,
    "JobListed.next_run_at": None,
    "JobListed.paused": False,
    "JobListed.schedule": None,
    "JobListed.source": _SOURCE,
    "JobListed.stop_reason": "done",
    "JobListed.type": "extraction",
    "JobOut.coverage": 0.94,
    "JobOut.error": None,
    "JobOut.next_run_at": None,
    "JobOut.paused": False,
    "JobOut.rerun_of": None,
    "JobOut.schedule": None,
    "JobOut.source": _SOURCE,
    "JobOut.stats": {"seconds": {"fetch": 0.4, "read": 0.1}},
    "JobOut.stop_reason": "done",
    "JobOut.steps": None,
    "JobOut.type": "extraction",
    "JobOut.validation": None,
    "JobOut.webhook": None,
    "JobProgress.percent": 100,
    "JobRequest.request": {
        "type": "extraction",
        "source": {"type": "url", "url": "https://shop.example.org/lamps"},
        "schema": RECORD,
        "max_pages": 1000,
        "deadline": "3600s",
    },
    "PageOut.outcome": "read",
    "PageOut.verdict": None,
    "PageText.content_hash": f"sha256:{sha256(PAGE_TEXT.encode()).hexdigest()}",
    "PageText.text": PAGE_TEXT,
    "PageText.visible_end": len(PAGE_TEXT),
    "Provenance.content_hash": f"sha256:{sha256(PAGE_TEXT.encode()).hexdigest()}",
    "Provenance.end": PAGE_TEXT.index(PRICE) + len(PRICE),
    "Provenance.json_pointer": None,
    "Provenance.match": "exact",
    "Provenance.method": "labels",
    "Provenance.pointer": "/price",
    "Provenance.prefix": "Price: ",
    "Provenance.quote": PRICE,
    "Provenance.selector": "/html/body/main/p[2]",
    "Provenance.source_url": "https://shop.example.org/lamps/7",
    "Provenance.start": PAGE_TEXT.index(PRICE),
    "Provenance.suffix": " incl. VAT",
    "Provenance.transform": "price",
    "RecordOut.candidates": {},
    "RecordOut.data": {"name": "Desk lamp", "price": 1299.5},
    "RecordOut.unsatisfied": [],
    "RunOut.error": None,
    "RunOut.stats": {},
    "RunOut.status": "completed",
    "RunOut.stop_reason": "done",
    "RunOut.tick": None,
    "RunOut.validation": None,
    "Verification.live": None,
    "Verification.live_error": None,
    "Verification.stored": {"result": "found", "start": 17, "end": 26, "match": "exact"},
    "UsageOut.cost": "0.000013",
    "VerifyIn.quote": PRICE,
    "VerifyIn.url": "https://shop.example.org/lamps/7",
    "final": True,
    "metadata": {"team": "a"},
    "Citation.end": len(QUOTE),
    "Citation.lead_end": len(QUOTE),
    "Citation.lead_start": 0,
    "Citation.start": 0,
    "Citation.source": 1,
    "Excerpt.end": len(TEXT),
    "Excerpt.headings": ["Barn owls", "Breeding"],
    "Excerpt.lead_end": len(QUOTE),
    "Excerpt.lead_start": 0,
    "Excerpt.score": 1.0,
    "Excerpt.start": 0,
    "Failure.message": "The search did not end in time.",
    "Delivery.attempts": [_ATTEMPT],
    "Delivery.error": None,
    "Delivery.redelivery_of": None,
    "Delivery.next_at": None,
    "Delivery.status": "delivered",
    "Delivery.type": "job.completed",
    "DeliveryListed.attempts": [_ATTEMPT],
    "DeliveryListed.error": None,
    "DeliveryListed.redelivery_of": None,
    "DeliveryListed.next_at": None,
    "DeliveryListed.status": "delivered",
    "DeliveryListed.type": "job.completed",
    "Delivery.body": '{"type":"job.completed","timestamp":"2026-11-21T09:00:00Z",'
    '"data":{"id":"job_...","version":1795251600000}}',
    "NewWebhookOut.secret": "whsec_...",
    "Webhook.events": ["*"],
    "Webhook.url": "https://example.org/hooks/citegrid",
    "ResultIn.output": {"records": [{"data": {"name": "Desk lamp"}, "provenance": []}]},
    "ResultOut.answer": {},
    "WorkItem.input": {"objective": "Lamps and their prices", "page": {"text": PAGE_TEXT}},
    "WorkItem.kind": "nodes.extraction",
    "WebhookIn.url": "https://example.org/hooks/citegrid",
    "disabled_at": None,
    "disabled_reason": None,
    "failing_since": None,
    "former_secret_until": None,
    "job": None,
    "paused_until": None,
    "since": "2026-11-21T00:00:00Z",
    "AppealIn.reason": "The quote stands in the third paragraph, word for word.",
    "Dispute.category": "wrong_value",
    "Dispute.decided_at": None,
    "Dispute.decided_by": None,
    "Dispute.ends_at": "2026-11-29T09:00:00Z",
    "Dispute.kind": "dispute",
    "Dispute.opened_at": "2026-11-22T09:00:00Z",
    "Dispute.reason": "The price is that of the former model.",
    "Dispute.record_version": 1,
    "Dispute.status": "open",
    "DisputeIn.category": "wrong_value",
    "DisputeIn.reason": "The price is that of the former model.",
    "MemoryIn.source": "user_approved",
    "MemoryIn.supersedes": f"mem_{IDENTIFIER}",
    "Memory.source": "user_approved",
    "MemoryListed.source": "user_approved",
    "Memory.content": "Prefer docs.python.org over other sites about Python.",
    "MemoryListed.content": "Prefer docs.python.org over other sites about Python.",
    "MemoryIn.content": "Prefer docs.python.org over other sites about Python.",
    "MemoryChange.content": "Prefer docs.python.org.",
    "VersionOut.content": "Prefer docs.python.org.",
    "Memory.history": [],
    "persona_id": "me",
    "superseded_by": None,
    "confirm": "me",
    "Payout.amount": "4.25",
    "Payout.destination": "DE02 1203 0000 0000 2020 51",
    "Payout.ended_at": None,
    "Payout.reason": None,
    "Payout.reference": None,
    "Payout.status": "requested",
    "Payout.token": "USD",
    "PayoutIn.amount": "4.25",
    "PayoutIn.destination": "DE02 1203 0000 0000 2020 51",
    "PayoutIn.token": "USD",
    "RewardBalance.frozen": "0",
    "RewardBalance.next_available_at": "2026-11-24T09:00:00Z",
    "RewardBalance.paid": "12",
    "RewardBalance.payable": "0",
    "RewardBalance.pending": "0.7",
    "RewardBalance.token": "USD",
    "RewardEntry.amount": "0.07",
    "RewardEntry.available_at": "2026-11-24T09:00:00Z",
    "RewardEntry.chat_id": None,
    "RewardEntry.role": "contributor",
    "RewardEntry.state": "pending",
    "RewardEntry.token": "USD",
    "RewardEntry.verdict": None,
    "RewardEntry.why": "the record was accepted",
    "Profile.description": "Three computers in a cool cellar.",
    "ProfileIn.description": "Three computers in a cool cellar.",
    "Stats.seconds": {"retrieve": 0.012, "answer": 0.031},
    "access_token": "cga_...",
    "answer": ANSWER,
    "answer_end": len(ANSWER),
    "answer_start": 0,
    "answered": True,
    "attempts": 1,
    "authority": 0.62,
    "available": "4.25",
    "avatar_url": "/public/providers/ada/avatar",
    "completed_at": "2026-11-21T09:00:01Z",
    "confidence": 0.93,
    "content": 0.9,
    "content_hash": f"sha256:{sha256(TEXT.encode()).hexdigest()}",
    "contradictions": [],
    "created_at": "2026-11-21T09:00:00Z",
    "current_password": "correct horse battery",
    "data": f'{{"id": "srch_{IDENTIFIER}", "status": "running", "percent": 40, '
    '"stage": "reading", "sources_found": 3}',
    "deadline_at": "2026-11-21T09:02:00Z",
    "device_id": "cellar-1",
    "display_name": "Ada",
    "email": "ada@example.org",
    "embedded": 1.0,
    "engines": [],
    "event": "progress",
    "expires_at": "2026-12-21T09:00:00Z",
    "expires_in": 3600,
    "fetched_at": "2026-11-20T08:00:00Z",
    "formula": "q1",
    "freshness": 0.8,
    "Worker.status": "running",
    "Task.attempts": [
        {
            "attempt": 1,
            "worker": "host1:searches",
            "started_at": "2026-11-21T09:00:00Z",
            "ended_at": "2026-11-21T09:00:40Z",
            "outcome": "lost",
            "error": {"code": "worker_lost", "message": "The worker ended without a result."},
        }
    ],
    "Task.input": {"search_id": f"srch_{IDENTIFIER}"},
    "handle": "ada",
    "has_more": False,
    "id": "3",
    "input": "0.25",
    "language": "en",
    "last_four": "x7Qd",
    "last_used_at": None,
    "max_sources": 5,
    "model": "example/model-7b",
    "model_revision": "r1",
    "n": 1,
    "name": "nightly reports",
    "next_cursor": None,
    "new_password": "battery horse correct",
    "offer_id": "0196a3c4-7d2e-7b1f-9c55-3f0e6d8a1b42",
    "output": "1.5",
    "overlap_hours": 24,
    "pages_read": 8,
    "password": "correct horse battery",
    "percent": 100,
    "Citation.prefix": "",
    "prefix": "cgk_live_",
    "pricing_revision": 1,
    "public_name": "Cellar",
    "published": True,
    "published_at": None,
    "quality_score": 0.78,
    "query": "How many eggs does a barn owl lay?",
    "quote": QUOTE,
    "refresh_token": "cgr_...",
    "relevance": 0.94,
    "agreement": None,
    "replaced_by": None,
    "revoked_at": None,
    "scopes": ["search"],
    "secret": "cgk_live_...",
    "stage": "done",
    "started_at": "2026-11-21T09:00:00Z",
    "status": "completed",
    "Accepted.status": "running",
    "sources_found": 1,
    "suffix": TEXT.removeprefix(QUOTE),
    "support": "verified",
    "text": TEXT,
    "title": "Barn owls",
    "url": "https://birds.example.org/owls",
    "warnings": [],
    "website": "https://example.org/",
}
"""By the name of the field, or `Schema.field` where a schema means something of its own."""

SHOWN: Final = frozenset(
    {
        "ApiKeyChange.name",
        "Citation.lead_end",
        "Citation.lead_start",
        "Result.confidence",
        "SearchIn.max_sources",
        "SearchOut.result",
        "Source.excerpts",
        "VerifyIn.url",
    }
)
"""Optional fields that examples show; others are left out."""

FALLBACKS: Final[Mapping[str, Any]] = {
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "object": {},
    "null": None,
}


def complete(document: Node, operation: Node) -> None:
    """Give each body and each good answer of an operation its example."""
    answers = [a for status, a in operation["responses"].items() if status.startswith("2")]
    for node in (operation.get("requestBody", {}), *answers):
        for media_type, content in node.get("content", {}).items():
            if media_type in ("application/json", "text/event-stream", "application/x-ndjson"):
                content["example"] = of_schema(document, content["schema"])


def of_schema(document: Node, schema: Node, owner: str = "", name: str = "") -> Any:
    """An example of what a schema describes; `name` is the field of `owner` that it stands in."""
    if (own := f"{owner}.{name}") in VALUES:
        return VALUES[own]
    schema = _not_null(schema)
    reference, schema = schema.get("$ref", ""), resolve(document, schema)
    if "oneOf" in schema:
        return of_schema(document, schema["oneOf"][0], owner, name)
    if "properties" in schema:
        return _object(document, schema, reference.rpartition("/")[2])
    if name in VALUES and PREFIX.match(schema.get("pattern", "")) is None:
        return VALUES[name]
    if "items" in schema:
        return [of_schema(document, schema["items"], owner, name)]
    return _plain(schema)


def _object(document: Node, schema: Node, owner: str) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        name: of_schema(document, child, owner, name)
        for name, child in schema["properties"].items()
        if name in required or f"{owner}.{name}" in SHOWN
    }


def _not_null(schema: Node) -> Node:
    others = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    return others[0] if others else schema


def _plain(schema: Node) -> Any:
    types = schema.get("type", "object")
    kinds = types if isinstance(types, list) else [types]
    if prefix := PREFIX.match(schema.get("pattern", "")):
        return f"{prefix[1]}_{IDENTIFIER}"
    for known in ("examples", "enum"):
        if schema.get(known):
            return schema[known][0]
    if "null" in kinds:
        return None
    if "default" in schema or "minimum" in schema:
        return schema.get("default", schema.get("minimum"))
    if kinds[0] == "string":
        return "text".ljust(schema.get("minLength", 0), "-")
    return FALLBACKS[kinds[0]]
