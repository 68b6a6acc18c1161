"""Retrying or cancelling all jobs that a filter matches: a job of its own, in small steps.

It acts on what matched when it was requested. Each step does some jobs and says how far it got in
one transaction: however often it is interrupted, nothing is done twice. Jobs that somebody else
holds in that moment are passed over and looked at in another pass.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import NotFound, required
from app.core.http.fields import rfc3339
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs import kinds, service, store
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.operations import bulk_store, listing, listing_store
from app.domains.queue.jobs.operations.bulk_store import Bulk
from app.domains.queue.jobs.operations.listing import Action
from app.domains.queue.jobs.operations.listing_store import Filter

_RECORDED: Final = {"retry": "jobs.retried", "cancel": "jobs.cancelled"}
STEP_JOBS: Final = 50


def _ended(tx: Tx, job: EndedJob) -> None:
    bulk_store.finish(tx, job.id, None)


KIND = kinds.register(
    listing.BULK,
    queue="housekeeping",
    deadline_seconds=6 * 3600,
    max_attempts=20,
    priority=20,
    ids_per_message=1,
    on_end=_ended,
)


class BulkNotFound(NotFound):
    """No bulk action has this id."""

    code = "bulk_not_found"


def request(tx: Tx, action: Action, wanted: Filter, by: str) -> Bulk:
    """Promise an action on all that matches now."""
    expected = listing.eligible(tx, action, wanted)
    id = service.enqueue(tx, KIND, service.OPERATOR, {})
    stored = {**as_stored(wanted), "kinds": listing.kinds_in_bulk(action)}
    bulk_store.insert(tx, id, action, stored, by, expected)
    record_event(tx, _RECORDED[action], words(as_stored(wanted)), jobs=expected)
    return find(tx, id)


def as_stored(wanted: Filter) -> dict[str, str]:
    """The filter as it is stored, without what it leaves open."""
    given = {
        "state": wanted.state,
        "kind": wanted.kind,
        "queue": wanted.queue,
        "account": str(wanted.account_id) if wanted.account_id else None,
        "error_code": wanted.error_code,
        "since": rfc3339(wanted.since),
        "until": rfc3339(wanted.until),
    }
    return {name: text for name, text in given.items() if text is not None}


def words(stored: Mapping[str, Any]) -> str:
    given = [f"{name} {text}" for name, text in stored.items() if name != "kinds"]
    return ", ".join(given) or "all jobs"


def _as_filter(stored: Mapping[str, Any]) -> Filter:
    def at(name: str) -> datetime | None:
        return datetime.fromisoformat(stored[name]) if name in stored else None

    return Filter(
        state=stored.get("state"),
        kind=stored.get("kind"),
        queue=stored.get("queue"),
        account_id=UUID(stored["account"]) if "account" in stored else None,
        error_code=stored.get("error_code"),
        since=at("since"),
        until=at("until"),
    )


def find(reader: Reader, id: UUID) -> Bulk:
    """Raises BulkNotFound."""
    return required(bulk_store.by_id(reader, id), BulkNotFound)


def step(tx: Tx, id: UUID) -> Bulk | None:
    """Do the next jobs, in the caller's transaction; None when nothing is left to do."""
    known = find(tx, id)
    wanted, names = _as_filter(known.filter), known.filter["kinds"]
    found = listing_store.take(
        tx, known.action, wanted, names, known.created_at, known.after_id, STEP_JOBS
    )
    if found:
        done = sum(_do(tx, known.action, job_id) for job_id in found)
        bulk_store.advance(tx, id, done, found[-1])
    elif known.done_in_pass:
        bulk_store.again(tx, id)
    else:
        return None
    return find(tx, id)


def _do(tx: Tx, action: str, job_id: UUID) -> bool:
    if action == "cancel":
        return service.cancel(tx, job_id) is not None
    job = store.by_id(tx, job_id)
    return job is not None and listing.retry_one(tx, job_id, job.kind)


def finish(tx: Tx, id: UUID) -> None:
    """Say what is left: jobs that were held all the time, or whose place another has taken."""
    known = find(tx, id)
    wanted, names = _as_filter(known.filter), known.filter["kinds"]
    left = listing_store.eligible(tx, known.action, wanted, names, known.created_at)
    bulk_store.finish(tx, id, left)


def forget(tx: Tx, most: int, kept_days: float) -> int:
    """Delete those older than `kept_days`, `most` at a time; returns how many."""
    return bulk_store.forget(tx, kept_days * 86_400, most)
