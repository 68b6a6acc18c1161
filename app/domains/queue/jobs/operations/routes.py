"""/v1/operations: queues and workers, for operators. Jobs: job_routes."""

from typing import Any

from app.core import db
from app.core.http import Blueprint, caller, current_settings, operator_account, raises
from app.core.http.pagination import PageIn, page
from app.domains.account.accounts.service import account_by_id
from app.domains.account.audit.store import of_operators
from app.domains.queue.jobs import dispatch_store
from app.domains.queue.jobs.operations import presentation, schemas, worker_store, workers
from app.domains.queue.jobs.operations.queues import queues, samples
from app.domains.queue.jobs.operations.queues.queues import QueueNotFound
from app.domains.queue.jobs.operations.workers import WorkerNotFound, WorkerNotGone

queue_operations = Blueprint(
    "operations",
    __name__,
    url_prefix="/v1/operations",
    description="Queues, workers and jobs of all accounts. For operators only.",
    preview=True,
)


def _target_seconds() -> float:
    return current_settings().queue_target_seconds


def whoever_acts(reader: db.Reader) -> str:
    return account_by_id(reader, caller().account_id).email


@queue_operations.get("/queues", operation="listQueues")
@operator_account
@queue_operations.response(200, schemas.QueuesOut)
def list_queues() -> dict[str, Any]:
    """List queues with state, waiting jobs and estimated time to empty."""
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


@queue_operations.get("/samples", operation="listQueueSamples")
@operator_account
@queue_operations.arguments(schemas.WindowIn, location="query")
@queue_operations.response(200, schemas.HistoriesOut)
def list_samples(wanted: dict[str, Any]) -> dict[str, Any]:
    """Get samples of all queues over a window, in at most 90 steps."""
    window = wanted["window"]
    with db.reading() as reader:
        histories = samples.histories(reader, window)
    return {
        "window": window,
        "step_seconds": samples.COARSE_STEPS[window],
        "histories": [{"queue": name, "samples": rows} for name, rows in histories.items()],
    }


@queue_operations.get("/queues/<string:queue_name>", operation="getQueue")
@operator_account
@raises(QueueNotFound)
@queue_operations.arguments(schemas.WindowIn, location="query")
@queue_operations.response(200, schemas.QueueDetailOut)
def show_queue(wanted: dict[str, Any], queue_name: str) -> dict[str, Any]:
    """Get a queue with its samples over a window, in at most 360 steps."""
    window = wanted["window"]
    with db.reading() as reader:
        found = queues.find(reader, queue_name, _target_seconds())
        rows = samples.samples(reader, queue_name, window)
    step = samples.WINDOWS[window].step_seconds
    return {"queue": found, "window": window, "step_seconds": step, "samples": rows}


@queue_operations.post("/queues/<string:queue_name>/pause", operation="pauseQueue")
@operator_account
@raises(QueueNotFound)
@queue_operations.response(200, schemas.QueueOut)
def pause_queue(queue_name: str) -> dict[str, Any]:
    """Pause a queue. Running jobs continue, and new jobs are accepted."""
    with db.transaction() as tx:
        queues.pause(tx, queue_name, whoever_acts(tx))
        return {"queue": queues.find(tx, queue_name, _target_seconds())}


@queue_operations.post("/queues/<string:queue_name>/resume", operation="resumeQueue")
@operator_account
@raises(QueueNotFound)
@queue_operations.response(200, schemas.QueueOut)
def resume_queue(queue_name: str) -> dict[str, Any]:
    """Resume a paused queue."""
    with db.transaction() as tx:
        queues.resume(tx, queue_name)
        return {"queue": queues.find(tx, queue_name, _target_seconds())}


@queue_operations.get("/workers", operation="listWorkers")
@operator_account
@queue_operations.response(200, schemas.WorkersOut)
def list_workers() -> dict[str, Any]:
    """List workers with their queues and load."""
    with db.reading() as reader:
        return {"workers": [presentation.worker(row) for row in worker_store.every(reader)]}


@queue_operations.post("/workers/<string:worker_id>/drain", operation="drainWorker")
@operator_account
@raises(WorkerNotFound)
@queue_operations.response(200, schemas.WorkerOut)
def drain_worker(worker_id: str) -> dict[str, Any]:
    """Drain a worker: it finishes its jobs and takes no new ones."""
    with db.transaction() as tx:
        workers.drain(tx, worker_id)
        return {"worker": presentation.worker(workers.find(tx, worker_id))}


@queue_operations.delete("/workers/<string:worker_id>", operation="forgetWorker")
@operator_account
@raises(WorkerNotFound, WorkerNotGone)
@queue_operations.response(204)
def forget_worker(worker_id: str) -> None:
    """Remove a worker that has been gone for five minutes."""
    with db.transaction() as tx:
        workers.forget(tx, worker_id)


@queue_operations.get("/actions", operation="listOperatorActions")
@operator_account
@queue_operations.arguments(PageIn, location="query")
@queue_operations.response(200, schemas.ActionsOut)
def list_actions(wanted: dict[str, Any]) -> dict[str, Any]:
    """List operator actions, newest first. Kept for AUDIT_KEPT_DAYS."""
    with db.reading() as reader:
        rows = of_operators(reader, wanted.get("cursor"), wanted["limit"] + 1)
    return page("actions", rows, wanted["limit"], presentation.action)
