"""/v1/operations: the jobs of all accounts, their failures, and acting on many of them."""

from typing import Any

from flask import url_for

from app.core import db, ids
from app.core.errors import Invalid
from app.core.http import Blueprint, operator_account, raises
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.core.ids import Noun
from app.domains.queue.jobs.operations import bulk, listing, presentation, schemas
from app.domains.queue.jobs.operations.bulk import BulkNotFound
from app.domains.queue.jobs.operations.listing import NotOpen, NotRetriable, TaskNotFound
from app.domains.queue.jobs.operations.listing_store import Filter
from app.domains.queue.jobs.operations.queues.samples import WINDOWS
from app.domains.queue.jobs.operations.routes import whoever_acts

bp = Blueprint(
    "tasks",
    __name__,
    url_prefix="/v1/operations",
    description="Queues, workers and jobs of all accounts: for operators only.",
    preview=True,
)

Reply = tuple[dict[str, Any], int, dict[str, str]]


def _filter(given: dict[str, Any]) -> Filter:
    """Raises Invalid for an account that cannot be one."""
    account, account_id = given.get("account"), None
    if account is not None and (account_id := ids.internal(Noun.ACCOUNT, account)) is None:
        raise Invalid(details=[{"field": "/account", "problem": "Not the id of an account."}])
    return Filter(
        state=given.get("state"),
        kind=given.get("kind"),
        queue=given.get("queue"),
        account_id=account_id,
        error_code=given.get("error_code"),
        since=given.get("since"),
        until=given.get("until"),
    )


@bp.get("/jobs")
@operator_account
@bp.arguments(schemas.TasksIn, location="query")
@bp.response(200, schemas.TasksOut)
@bp.doc(operationId="listTasks")
def list_tasks(wanted: dict[str, Any]) -> dict[str, Any]:
    """Jobs of any account that a filter matches, newest first."""
    with db.reading() as reader:
        rows = listing.page(reader, _filter(wanted), wanted.get("cursor"), wanted["limit"])
    return page("tasks", rows, wanted["limit"], presentation.listed)


@bp.get("/jobs/counts")
@operator_account
@bp.arguments(schemas.FilterIn, location="query")
@bp.response(200, schemas.CountsOut)
@bp.doc(operationId="countTasks")
def count_tasks(wanted: dict[str, Any]) -> RowView:
    """How many jobs a filter matches, by state, and how many a bulk action would act on."""
    with db.reading() as reader:
        return presentation.counts(listing.counts(reader, _filter(wanted)))


@bp.get("/jobs/<string:task_id>")
@operator_account
@raises(TaskNotFound)
@bp.response(200, schemas.TaskOut)
@bp.doc(operationId="getTask")
def show_task(task_id: str) -> dict[str, Any]:
    """A job with its attempts and parts, by its id or by that of what it works on."""
    with db.reading() as reader:
        return {"task": presentation.task(listing.find(reader, task_id))}


@bp.post("/jobs/<string:task_id>/retry")
@operator_account
@raises(TaskNotFound, NotRetriable)
@bp.response(200, schemas.TaskOut)
@bp.doc(operationId="retryTask")
def retry_task(task_id: str) -> dict[str, Any]:
    """Do a failed job again, with fresh attempts and a fresh deadline."""
    with db.transaction() as tx:
        listing.retry(tx, task_id)
        return {"task": presentation.task(listing.find(tx, task_id))}


@bp.post("/jobs/<string:task_id>/cancel")
@operator_account
@raises(TaskNotFound, NotOpen)
@bp.response(200, schemas.TaskOut)
@bp.doc(operationId="cancelTask")
def cancel_task(task_id: str) -> dict[str, Any]:
    """End an open job at once; its worker stops at its next step."""
    with db.transaction() as tx:
        listing.cancel(tx, task_id)
        return {"task": presentation.task(listing.find(tx, task_id))}


@bp.get("/bulk")
@operator_account
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.BulksOut)
@bp.doc(operationId="listBulkActions")
def list_bulks(wanted: dict[str, Any]) -> dict[str, Any]:
    """Actions on many jobs, newest first."""
    with db.reading() as reader:
        rows = bulk.page(reader, wanted.get("cursor"), wanted["limit"])
    return page("bulk_actions", rows, wanted["limit"], presentation.bulk_action)


@bp.post("/bulk")
@operator_account
@bp.arguments(schemas.BulkIn)
@bp.response(202, schemas.BulkOut)
@bp.doc(operationId="createBulkAction")
def create_bulk(body: dict[str, Any]) -> Reply:
    """Retry or cancel all jobs that a filter matches now; `countTasks` says how many before."""

    def make(tx: db.Tx) -> dict[str, Any]:
        made = bulk.request(tx, body["action"], _filter(body["filter"]), whoever_acts(tx))
        dumped: dict[str, Any] = schemas.BulkOut().dump({"bulk": presentation.bulk_action(made)})
        return dumped

    answer = once(body, make)
    location = url_for("tasks.show_bulk", bulk_id=answer["bulk"]["id"])
    return answer, 202, {"Location": location, "Retry-After": "1"}


@bp.get("/bulk/<string:bulk_id>")
@operator_account
@raises(BulkNotFound)
@bp.response(200, schemas.BulkOut)
@bp.doc(operationId="getBulkAction")
def show_bulk(bulk_id: str) -> dict[str, Any]:
    """How far an action on many jobs got."""
    with db.reading() as reader:
        return {"bulk": presentation.bulk_action(bulk.find(reader, bulk_id))}


@bp.get("/failures")
@operator_account
@bp.arguments(schemas.FailuresIn, location="query")
@bp.response(200, schemas.FailuresOut)
@bp.doc(operationId="listFailures")
def list_failures(wanted: dict[str, Any]) -> dict[str, Any]:
    """Why jobs failed in a window, most frequent cause first."""
    seconds = WINDOWS[wanted["window"]].seconds
    with db.reading() as reader:
        since, found = listing.causes(reader, seconds, wanted.get("queue"))
    return {"since": since, "failures": found}
