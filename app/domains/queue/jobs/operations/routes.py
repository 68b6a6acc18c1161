"""/v1/operations: queues and workers, for operators. Jobs: task_routes."""

from typing import Any

from flask import current_app

from app.core import db
from app.core.config.settings import Settings
from app.core.http import Blueprint, caller, operator_account, raises
from app.core.http.pagination import PageIn, page
from app.domains.account.accounts import service as accounts
from app.domains.account.audit import service as audit
from app.domains.queue.jobs import dispatch_store
from app.domains.queue.jobs.operations import presentation, schemas, worker_store, workers
from app.domains.queue.jobs.operations.queues import queues
from app.domains.queue.jobs.operations.queues import samples as sampling
from app.domains.queue.jobs.operations.queues.queues import QueueNotFound
from app.domains.queue.jobs.operations.workers import WorkerNotFound, WorkerNotGone

bp = Blueprint(
    "operations",
    __name__,
    url_prefix="/v1/operations",
    description="Queues, workers and jobs of all accounts: for operators only.",
    preview=True,
)


def _target_seconds() -> float:
    settings: Settings = current_app.extensions["settings"]
    return settings.queue_target_seconds


def whoever_acts(reader: db.Reader) -> str:
    """Whom the list of actions names."""
    return accounts.account(reader, caller().account_id).email


@bp.get("/queues")
@operator_account
@bp.response(200, schemas.QueuesOut)
@bp.doc(operationId="listQueues")
def list_queues() -> dict[str, Any]:
    """Every queue with its state, what waits, and when it would be empty."""
    with db.reading() as reader:
        found = queues.overview(reader, _target_seconds())
        dispatchers = len(dispatch_store.alive(reader))
    worst = queues.worst(found)
    return {
        "summary": queues.headline(found),
        "worst": worst.name if worst else None,
        "dispatchers": dispatchers,
        "target_seconds": _target_seconds(),
        "queues": found,
    }


@bp.get("/samples")
@operator_account
@bp.arguments(schemas.WindowIn, location="query")
@bp.response(200, schemas.HistoriesOut)
@bp.doc(operationId="listQueueSamples")
def list_samples(wanted: dict[str, Any]) -> dict[str, Any]:
    """All queues over a window, in at most 90 steps."""
    window = wanted["window"]
    with db.reading() as reader:
        histories = sampling.histories(reader, window)
    return {
        "window": window,
        "step_seconds": sampling.COARSE_STEPS[window],
        "histories": [{"queue": name, "samples": rows} for name, rows in histories.items()],
    }


@bp.get("/queues/<string:queue_name>")
@operator_account
@raises(QueueNotFound)
@bp.arguments(schemas.WindowIn, location="query")
@bp.response(200, schemas.QueueDetailOut)
@bp.doc(operationId="getQueue")
def show_queue(wanted: dict[str, Any], queue_name: str) -> dict[str, Any]:
    """A queue, and its samples over a window in at most 360 steps."""
    window = wanted["window"]
    with db.reading() as reader:
        found = queues.find(reader, queue_name, _target_seconds())
        samples = sampling.samples(reader, queue_name, window)
    step = sampling.WINDOWS[window].step_seconds
    return {"queue": found, "window": window, "step_seconds": step, "samples": samples}


@bp.post("/queues/<string:queue_name>/pause")
@operator_account
@raises(QueueNotFound)
@bp.response(200, schemas.QueueOut)
@bp.doc(operationId="pauseQueue")
def pause_queue(queue_name: str) -> dict[str, Any]:
    """Begin no more jobs of a queue; those that run go on, new ones are accepted."""
    with db.transaction() as tx:
        queues.pause(tx, queue_name, whoever_acts(tx))
        return {"queue": queues.find(tx, queue_name, _target_seconds())}


@bp.post("/queues/<string:queue_name>/resume")
@operator_account
@raises(QueueNotFound)
@bp.response(200, schemas.QueueOut)
@bp.doc(operationId="resumeQueue")
def resume_queue(queue_name: str) -> dict[str, Any]:
    """Begin jobs of a queue again."""
    with db.transaction() as tx:
        queues.resume(tx, queue_name)
        return {"queue": queues.find(tx, queue_name, _target_seconds())}


@bp.get("/workers")
@operator_account
@bp.response(200, schemas.WorkersOut)
@bp.doc(operationId="listWorkers")
def list_workers() -> dict[str, Any]:
    """Who takes jobs of which queues, and how busy each is."""
    with db.reading() as reader:
        return {"workers": [presentation.worker(row) for row in worker_store.every(reader)]}


@bp.post("/workers/<string:worker_id>/drain")
@operator_account
@raises(WorkerNotFound)
@bp.response(200, schemas.WorkerOut)
@bp.doc(operationId="drainWorker")
def drain_worker(worker_id: str) -> dict[str, Any]:
    """Let a worker end what it has and take nothing new; then it can be stopped."""
    with db.transaction() as tx:
        workers.drain(tx, worker_id)
        return {"worker": presentation.worker(workers.find(tx, worker_id))}


@bp.delete("/workers/<string:worker_id>")
@operator_account
@raises(WorkerNotFound, WorkerNotGone)
@bp.response(204)
@bp.doc(operationId="forgetWorker")
def forget_worker(worker_id: str) -> None:
    """Take a worker off the list that was not seen for five minutes."""
    with db.transaction() as tx:
        workers.forget(tx, worker_id)


@bp.get("/actions")
@operator_account
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.ActionsOut)
@bp.doc(operationId="listOperatorActions")
def list_actions(wanted: dict[str, Any]) -> dict[str, Any]:
    """What operators did by the API, pages and commands, newest first, for AUDIT_KEPT_DAYS."""
    with db.reading() as reader:
        rows = audit.of_operators(reader, wanted.get("cursor"), wanted["limit"])
    return page("actions", rows, wanted["limit"], presentation.action)
