"""Queues, workers and jobs as operators see them."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from app.core import ids
from app.core.ids import Noun
from app.domains.account.audit.store import Event
from app.domains.queue.jobs import service
from app.domains.queue.jobs.operations import listing, workers
from app.domains.queue.jobs.operations.bulk_store import Bulk
from app.domains.queue.jobs.operations.listing_store import JobSummary
from app.domains.queue.jobs.operations.worker_store import Worker


def worker(row: Worker) -> dict[str, Any]:
    """As the schema Worker describes it."""
    return {**asdict(row), "status": workers.status_of(row)}


def _account(id: UUID) -> str | None:
    return None if id == service.OPERATOR else ids.public(Noun.ACCOUNT, id)


def listed(row: JobSummary) -> dict[str, Any]:
    """As the schema TaskListed describes it."""
    return {
        "id": row.id,
        "account": _account(row.account_id),
        "queue": row.queue,
        "kind": row.kind,
        "state": row.state,
        "attempt": row.attempt,
        "max_attempts": row.max_attempts,
        "worker": row.worker,
        "error": row.error,
        "created_at": row.created_at,
        "run_at": row.run_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "parent": row.parent_id,
    }


def task(found: listing.JobHistory) -> dict[str, Any]:
    """As the schema Task describes it."""
    job = found.job
    return {
        **listed(job),
        "input": job.payload,
        "progress": {name: v for name, v in job.progress.items() if name != "version"},
        "deadline_at": job.deadline_at,
        "request": job.request_id,
        "worked_seconds": job.worked_seconds,
        "attempts": found.attempts,
        "parts": [listed(part) for part in found.parts],
        "can_be_retried": found.can_be_retried,
        "can_be_cancelled": found.can_be_cancelled,
    }


def counts(found: listing.JobCounts) -> dict[str, Any]:
    return {**asdict(found), "total": sum(found.by_state.values())}


def bulk_action(row: Bulk) -> dict[str, Any]:
    """As the schema Bulk describes it. Its job is forgotten a little before it."""
    shown = {name: text for name, text in row.filter.items() if name != "kinds"}
    if "account" in shown:
        shown["account"] = ids.public(Noun.ACCOUNT, UUID(shown["account"]))
    return {
        "id": row.id,
        "action": row.action,
        "filter": shown,
        "requested_by": row.requested_by,
        "state": row.state or "succeeded",
        "expected": row.expected,
        "done": row.done,
        "remaining": row.remaining,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def action(row: Event) -> dict[str, Any]:
    """`by` is an operator's e-mail while the account exists, or who typed a command."""
    return {
        "at": row.at,
        "by": row.by_whom or row.actor,
        "action": row.action,
        "target": row.object or "",
        "jobs": row.facts.get("jobs"),
    }
