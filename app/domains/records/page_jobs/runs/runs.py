"""Beginning and ending the runs of jobs, for all types alike.

Locks go from a run's job (`jobs`) to its row here, and to the row of the job it belongs to last.
"""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.queue.jobs.kinds import EndedJob, Kind
from app.domains.queue.jobs.service import enqueue
from app.domains.queue.webhooks import outbox
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store, run_store, types
from app.domains.records.page_jobs.runs.run_store import JobRun

OVERLAP: Final = "overlap"
JOIN_SECONDS: Final = 120.0
"""What a run has beyond its own deadline to join what is there."""


def begin_run(
    tx: Tx,
    job_id: UUID,
    account_id: UUID,
    *,
    kind: Kind,
    tick: datetime | None = None,
    id: UUID | None = None,
) -> JobRun | None:
    """Begin a run of a job that has not ended, and promise its work.

    With `id`, the work is that of a job which exists already: the one a schedule has enqueued. None
    when a run is open, which a skipped one then says, or when the job has ended.
    """
    run_id = id or ids.new()
    if not store.lock_live(tx, job_id):
        return None
    if not run_store.insert(tx, run_id, job_id, tick):
        run_store.insert(tx, run_id, job_id, tick, skipped=OVERLAP)
        _tell_run(tx, run_id, "run.skipped")
        return None
    run_store.follow(tx, run_id, job_id)
    store.set_run(tx, job_id, run_id)
    if id is None:
        job = store.of_anybody(tx, job_id)
        seconds = kind.deadline_seconds if job is None else job.deadline_seconds + JOIN_SECONDS
        enqueue(
            tx,
            kind,
            account_id,
            {"job_id": str(job_id)},
            id=run_id,
            deadline_seconds=seconds,
            parent=None if job is None else job.part_of,
        )
    return run_store.by_id(tx, run_id)


def end_run(
    tx: Tx,
    run_id: UUID,
    stop_reason: str,
    *,
    stats: dict[str, Any] | None = None,
    validation: dict[str, Any] | None = None,
    error: dict[str, Any] | None = None,
) -> bool:
    """End a run, and the job with it unless a schedule goes on. False: it had ended already.

    `stop_reason` is done, page_limit, budget_reached, deadline, cancelled or error. What was kept
    for the run alone is dropped; its records stay.
    """
    job_id = run_store.end(
        tx, run_id, stop_reason=stop_reason, error=error, stats=stats or {}, validation=validation
    )
    if job_id is None:
        return False
    page_store.free(tx, run_id)
    _tell_run(tx, run_id, "run.completed")
    job, run = store.of_anybody(tx, job_id), run_store.by_id(tx, run_id)
    if job is None or run is None:
        return True
    if job.schedule_id is None:
        end_job(tx, job_id, stop_reason, error)
    if (hook := types.of(job.type).run_ended) is not None:
        hook(tx, job, run)
    return True


def end_job(tx: Tx, job_id: UUID, stop_reason: str, error: dict[str, Any] | None = None) -> bool:
    """End a job itself, and tell its webhooks. False: it had ended already."""
    if not store.end(tx, job_id, stop_reason, error):
        return False
    job = store.of_anybody(tx, job_id)
    if job is not None and job.part_of is None:
        data = {
            "id": ids.public(Noun.JOB, job.id),
            "status": job.status,
            "stop_reason": stop_reason,
            "counts": {
                "pages_found": job.found,
                "pages_done": job.done,
                "pages_failed": job.failed,
                "records": job.records,
            },
            "metadata": job.metadata,
        }
        outbox.tell(tx, job.account_id, f"job.{job.status}", job.id, data)
    return True


def _tell_run(tx: Tx, run_id: UUID, event: str) -> None:
    """Also of a run that changed nothing: who hears of none knows that something is wrong."""
    run = run_store.by_id(tx, run_id)
    job = store.of_anybody(tx, run.job_id) if run else None
    if run is None or job is None or job.part_of is not None:
        return
    data = {
        "id": ids.public(Noun.JOB, job.id),
        "run": ids.public(Noun.RUN, run.id),
        "status": run.status,
        "stop_reason": run.stop_reason,
        "counts": {
            "pages_found": run.found,
            "pages_done": run.done,
            "pages_failed": run.failed,
            "records": run.records,
        },
        "metadata": job.metadata,
    }
    outbox.tell(tx, job.account_id, event, job.id, data)


_REASONS: Final = {"cancelled": "cancelled", "deadline_exceeded": "deadline"}


def job_ended(tx: Tx, ended: EndedJob) -> None:
    """`on_end` of the kinds whose jobs are runs: the run ends as its job did."""
    error = ended.error
    code = ended.state if error is None else error["code"]
    end_run(tx, ended.id, _REASONS.get(code, "error"), error=error)
