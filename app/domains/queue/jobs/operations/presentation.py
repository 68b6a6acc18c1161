"""Queues, workers and jobs as operators see them."""

from uuid import UUID

from app.core import ids
from app.core.http.fields import RowView
from app.core.ids import Noun
from app.domains.account.audit.store import Event
from app.domains.queue.jobs import service
from app.domains.queue.jobs.operations import listing, workers
from app.domains.queue.jobs.operations.bulk_store import Bulk
from app.domains.queue.jobs.operations.listing_store import JobSummary
from app.domains.queue.jobs.operations.worker_store import Worker


def worker(row: Worker) -> RowView:
    return RowView(row, status=workers.status_of(row))


def _account(id: UUID) -> str | None:
    return None if id == service.OPERATOR else ids.public(Noun.ACCOUNT, id)


def listed(row: JobSummary) -> RowView:
    return RowView(row, account=_account(row.account_id), parent=row.parent_id)


def task(found: listing.JobHistory) -> RowView:
    job = found.job
    return RowView(
        listed(job),
        input=job.payload,
        progress={name: v for name, v in job.progress.items() if name != "version"},
        request=job.request_id,
        attempts=found.attempts,
        parts=[listed(part) for part in found.parts],
        can_be_retried=found.can_be_retried,
        can_be_cancelled=found.can_be_cancelled,
    )


def counts(found: listing.JobCounts) -> RowView:
    return RowView(found, total=sum(found.by_state.values()))


def bulk_action(row: Bulk) -> RowView:
    """As the schema Bulk describes it. Its job is forgotten a little before it."""
    shown = {name: text for name, text in row.filter.items() if name != "kinds"}
    if "account" in shown:
        shown["account"] = ids.public(Noun.ACCOUNT, UUID(shown["account"]))
    return RowView(row, filter=shown, state=row.state or "succeeded")


def action(row: Event) -> RowView:
    """`by` is an operator's e-mail while the account exists, or who typed a command."""
    by = row.by_whom or row.actor
    account = ids.public(Noun.ACCOUNT, row.account_id) if row.account_id else ""
    return RowView(row, by=by, target=row.object or account, jobs=row.facts.get("jobs"))
