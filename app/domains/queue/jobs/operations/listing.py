"""Jobs of any account, as operators search, retry and cancel them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

import psycopg

from app.core import db, ids
from app.core.db import Reader, Tx
from app.core.db.costly import Costly
from app.core.errors import Conflict, NotFound, required
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs import kinds, service, store
from app.domains.queue.jobs.operations import listing_store
from app.domains.queue.jobs.operations.listing_store import Cause, Filter, JobDetail, JobSummary
from app.domains.queue.jobs.store import PastAttempt

Action = Literal["retry", "cancel"]
BULK: Final = "operations.bulk"
"""The kind of bulk actions themselves."""
MOST_PARTS: Final = 100
MOST_CAUSES: Final = 100


class TaskNotFound(NotFound):
    """No job has this id."""

    code = "task_not_found"


class NotRetriable(Conflict):
    """This job cannot be retried. Only failed jobs can be retried, unless they are parts of other
    jobs or their failure had other effects."""

    code = "task_not_retriable"


class NotOpen(Conflict):
    """This job has ended, settles a payment, or is part of another job: cancel that one instead."""

    code = "task_not_open"


@dataclass(frozen=True, slots=True)
class JobHistory:
    job: JobDetail
    attempts: list[PastAttempt]
    parts: list[JobSummary]
    can_be_retried: bool
    can_be_cancelled: bool


def page(reader: Reader, wanted: Filter, before: UUID | None, limit: int) -> list[JobSummary]:
    """Up to `limit` + 1 jobs, newest first."""
    return listing_store.page(reader, wanted, before, limit + 1)


@dataclass(frozen=True, slots=True)
class JobCounts:
    """Counts of matching jobs: by state, and those to be retried or cancelled."""

    by_state: dict[str, int]
    retriable: int
    cancellable: int


_counts: Costly[JobCounts] = Costly()


def counts(reader: Reader, wanted: Filter) -> JobCounts:
    """For a bulk action: those on their way are not counted, it does not touch them."""
    return _counts.of(wanted, lambda: _count(reader, wanted))


def _count(reader: Reader, wanted: Filter) -> JobCounts:
    return JobCounts(
        listing_store.counts(reader, wanted),
        eligible(reader, "retry", wanted),
        eligible(reader, "cancel", wanted),
    )


def eligible(reader: Reader, action: Action, wanted: Filter) -> int:
    """To how many jobs an action would be applied now."""
    return listing_store.eligible(reader, action, wanted, kinds_in_bulk(action), None)


def kinds_for(action: Action) -> list[str]:
    return [
        kind.name
        for kind in kinds.every()
        if (kind.cancellable if action == "cancel" else kind.can_be_retried)
    ]


def kinds_in_bulk(action: Action) -> list[str]:
    """The kinds that a bulk action is applied to: it never ends itself."""
    return [name for name in kinds_for(action) if name != BULK]


def find(reader: Reader, public_id: str) -> JobHistory:
    """By the id of the job, or by that of whatever it works on. Raises TaskNotFound."""
    job = _find(reader, public_id)
    own = job.parent_id is None
    return JobHistory(
        job,
        store.attempts(reader, job.id),
        listing_store.parts(reader, job.id, MOST_PARTS),
        can_be_retried=own and job.state == "failed" and job.kind in kinds_for("retry"),
        can_be_cancelled=own and job.finished_at is None and job.kind in kinds_for("cancel"),
    )


def _find(reader: Reader, public_id: str) -> JobDetail:
    read = ids.read(public_id)
    return required(listing_store.by_id(reader, read[1]) if read else None, TaskNotFound)


def retry(tx: Tx, public_id: str) -> None:
    """Do a failed job again. Raises TaskNotFound, NotRetriable."""
    job = find(tx, public_id)
    if not (job.can_be_retried and retry_one(tx, job.job.id, job.job.kind)):
        raise NotRetriable
    record_event(tx, "job.retried", ids.public(Noun.TASK, job.job.id))


def retry_one(tx: Tx, id: UUID, kind: str) -> bool:
    """False: it is not failed any more, or another of its key is open."""
    known = kinds.of(kind)
    try:
        with db.savepoint(tx):
            return service.revive(tx, known, id, deadline_seconds=known.deadline_seconds)
    except psycopg.errors.UniqueViolation:
        return False


def cancel(tx: Tx, public_id: str) -> None:
    """End an open job. Raises TaskNotFound, NotOpen."""
    job = find(tx, public_id)
    if not (job.can_be_cancelled and service.cancel(tx, job.job.id)):
        raise NotOpen
    record_event(tx, "job.cancelled", ids.public(Noun.TASK, job.job.id))


def causes(reader: Reader, seconds: float, queue: str | None) -> tuple[datetime, list[Cause]]:
    """Since when, and why jobs have failed since then, most frequent first."""
    since = datetime.now(UTC) - timedelta(seconds=seconds)
    retriable = kinds_for("retry")
    return since, listing_store.causes(reader, since, queue, retriable, MOST_CAUSES)
