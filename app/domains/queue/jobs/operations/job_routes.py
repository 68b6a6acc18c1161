"""/v1/operations: the jobs of all accounts, their failures, and acting on many of them."""

from typing import Any
from uuid import UUID

from flask import url_for

from app.core import db, ids
from app.core.errors import Invalid
from app.core.http import Blueprint, operator_account, raises
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.core.ids import Noun
from app.domains.queue.jobs.admission.acceptance import Accepted, accepted
from app.domains.queue.jobs.operations import bulk, bulk_store, listing, presentation, schemas
from app.domains.queue.jobs.operations.bulk import BulkNotFound
from app.domains.queue.jobs.operations.listing import NotOpen, NotRetriable, TaskNotFound
from app.domains.queue.jobs.operations.listing_store import Filter
from app.domains.queue.jobs.operations.queues.samples import WINDOWS
from app.domains.queue.jobs.operations.routes import whoever_acts

job_operations = Blueprint(
    "tasks",
    __name__,
    url_prefix="/v1/operations",
    description="Queues, workers and jobs of all accounts. For operators only.",
    preview=True,
)


def _filter(given: dict[str, Any]) -> Filter:
    """Raises Invalid for an account that cannot be one."""
    account, account_id = given.get("account"), None
    if account is not None and (account_id := ids.internal(Noun.ACCOUNT, account)) is None:
        raise Invalid.at("/account", "Not the id of an account.")
    others = ("state", "kind", "queue", "error_code", "since", "until")
    return Filter(account_id=account_id, **{name: given.get(name) for name in others})


@job_operations.get("/jobs", operation="listTasks")
@operator_account
@job_operations.arguments(schemas.TasksIn, location="query")
@job_operations.response(200, schemas.TasksOut)
def list_tasks(wanted: dict[str, Any]) -> dict[str, Any]:
    """List matching jobs of all accounts, newest first."""
    with db.reading() as reader:
        rows = listing.page(reader, _filter(wanted), wanted.get("cursor"), wanted["limit"])
    return page("tasks", rows, wanted["limit"], presentation.listed)


@job_operations.get("/jobs/counts", operation="countTasks")
@operator_account
@job_operations.arguments(schemas.FilterIn, location="query")
@job_operations.response(200, schemas.CountsOut)
def count_tasks(wanted: dict[str, Any]) -> RowView:
    """Count matching jobs by state, and the jobs a bulk action would change."""
    with db.reading() as reader:
        return presentation.counts(listing.counts(reader, _filter(wanted)))


@job_operations.get("/jobs/<string:task_id>", operation="getTask")
@operator_account
@raises(TaskNotFound)
@job_operations.response(200, schemas.TaskOut)
def show_task(task_id: str) -> dict[str, Any]:
    """Get a job with its attempts and parts, by its id or the id of its object."""
    with db.reading() as reader:
        return {"task": presentation.task(listing.find(reader, task_id))}


@job_operations.post("/jobs/<string:task_id>/retry", operation="retryTask")
@operator_account
@raises(TaskNotFound, NotRetriable)
@job_operations.response(200, schemas.TaskOut)
def retry_task(task_id: str) -> dict[str, Any]:
    """Retry a failed job with new attempts and a new deadline."""
    with db.transaction() as tx:
        listing.retry(tx, task_id)
        return {"task": presentation.task(listing.find(tx, task_id))}


@job_operations.post("/jobs/<string:task_id>/cancel", operation="cancelTask")
@operator_account
@raises(TaskNotFound, NotOpen)
@job_operations.response(200, schemas.TaskOut)
def cancel_task(task_id: str) -> dict[str, Any]:
    """Cancel an open job. Its worker stops at the next step."""
    with db.transaction() as tx:
        listing.cancel(tx, task_id)
        return {"task": presentation.task(listing.find(tx, task_id))}


@job_operations.get("/bulk", operation="listBulkActions")
@operator_account
@job_operations.arguments(PageIn, location="query")
@job_operations.response(200, schemas.BulksOut)
def list_bulks(wanted: dict[str, Any]) -> dict[str, Any]:
    """List bulk actions, newest first."""
    with db.reading() as reader:
        rows = bulk_store.page(reader, wanted.get("cursor"), wanted["limit"] + 1)
    return page("bulk_actions", rows, wanted["limit"], presentation.bulk_action)


@job_operations.post("/bulk", operation="createBulkAction")
@operator_account
@job_operations.arguments(schemas.BulkIn)
@job_operations.response(202, schemas.BulkOut)
def create_bulk(body: dict[str, Any]) -> Accepted:
    """Retry or cancel all matching jobs. Use `countTasks` to count them first."""

    def make(tx: db.Tx) -> dict[str, Any]:
        made = bulk.request(tx, body["action"], _filter(body["filter"]), whoever_acts(tx))
        return {"bulk": presentation.bulk_action(made)}

    answer = once(body, make, schemas.BulkOut)
    return accepted(answer, url_for("tasks.show_bulk", bulk_id=answer["bulk"]["id"]))


@job_operations.get("/bulk/<bulk:bulk_id>", operation="getBulkAction")
@operator_account
@raises(BulkNotFound)
@job_operations.response(200, schemas.BulkOut)
def show_bulk(bulk_id: UUID) -> dict[str, Any]:
    """Get the progress of a bulk action."""
    with db.reading() as reader:
        return {"bulk": presentation.bulk_action(bulk.find(reader, bulk_id))}


@job_operations.get("/failures", operation="listFailures")
@operator_account
@job_operations.arguments(schemas.FailuresIn, location="query")
@job_operations.response(200, schemas.FailuresOut)
def list_failures(wanted: dict[str, Any]) -> dict[str, Any]:
    """List causes of failed jobs in a window, most frequent first."""
    seconds = WINDOWS[wanted["window"]].seconds
    with db.reading() as reader:
        since, found = listing.causes(reader, seconds, wanted.get("queue"))
    return {"since": since, "failures": found}
