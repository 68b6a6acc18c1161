"""The next steps of a workflow when something of it has ended. The row of its run's job is locked.

A step is blocked, then ready once all it needs are done, running, and at last done, failed or
skipped. What fails takes along only what needs it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import required
from app.domains.queue.jobs import kinds, parts, schedule_store
from app.domains.queue.jobs.kinds import EndedPart
from app.domains.queue.jobs.service import enqueue
from app.domains.records.page_jobs import service as page_jobs
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.kinds import DEADLINE_SECONDS
from app.domains.records.page_jobs.runs import page_store, run_store
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.workflows import graph, item_store, step_store
from app.domains.records.workflows.step_store import Step

STEP: Final = kinds.register(
    "workflows.step",
    queue="extraction",
    deadline_seconds=DEADLINE_SECONDS,
    priority=45,
    ids_per_message=1,
)
LANE_ITEMS: Final = 10
PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 5.0, 300.0
_EXTRACTION_DONE: Final = ("done", "page_limit", "budget_reached", "deadline")


def plan(tx: Tx, run_id: UUID) -> None:
    """The steps of a run become rows; those that need nothing begin."""
    job = job_of(tx, run_id)
    step_store.insert(tx, run_id, job.body["steps"])
    run_store.set_stage(tx, run_id, "steps")
    advance(tx, run_id)


def job_of(reader: Reader, run_id: UUID) -> PageJob:
    """The job that a run belongs to. Raises LookupError when its rows are gone."""
    run = run_store.by_id(reader, run_id)
    job = None if run is None else store.of_anybody(reader, run.job_id)
    return required(job, LookupError(run_id))


def options(job: PageJob, step: Step) -> Mapping[str, Any]:
    requested: Mapping[str, Any] = job.body["steps"][step.place]
    return requested


def on_part(tx: Tx, ended: EndedPart) -> None:
    """`on_part` of a workflow's run: a slice of a step, or the run of an extraction, has ended."""
    if ended.kind == STEP.name:
        step = step_store.by_name(tx, ended.parent_id, ended.payload["step"])
    else:
        step = step_store.by_job(tx, ended.part_id)
    if step is None or step.ended:
        return
    if ended.kind != STEP.name:
        _extraction_ended(tx, step, ended)
    elif ended.payload["lane"]:
        _lane_ended(tx, step, ended)
    else:
        _slice_ended(tx, step, ended)
    advance(tx, ended.parent_id)


def advance(tx: Tx, run_id: UUID) -> None:
    """Begin the steps whose needs are done; skip those of which one never will be."""
    steps = step_store.of_run(tx, run_id)
    for step in steps:
        if step.state == "blocked" and all(_state(steps, need) == "done" for need in step.needs):
            _begin(tx, job_of(tx, run_id), step)


def _state(steps: Sequence[Step], name: str) -> str:
    return next(step.state for step in steps if step.step == name)


def _begin(tx: Tx, job: PageJob, step: Step, pause: float = 0.0) -> None:
    step_store.make_ready(tx, step)
    requested = options(job, step)
    if step.type == "extraction" and not step.needs and not pause:
        extract(tx, job, step, requested["with"]["source"])
    elif step.type == "search" and not step.needs:
        query = {"query": requested["with"]["query"]}
        item_store.add(tx, step.run_id, step.step, 1, [query])
        step_store.went_on(tx, step, None, read=1, written=0, complete=True)
        _refill(tx, job, step)
    else:
        _slice(tx, step, job.account_id, after(tx, pause))


def after(tx: Tx, seconds: float) -> datetime | None:
    return schedule_store.clock(tx) + timedelta(seconds=seconds) if seconds else None


def _slice(
    tx: Tx, step: Step, account_id: UUID, run_at: datetime | None = None, *, lane: bool = False
) -> None:
    payload = {"step": step.step, "lane": lane}
    enqueue(tx, STEP, account_id, payload, parent=step.run_id, run_at=run_at)


def extract(
    tx: Tx, job: PageJob, step: Step, source: Mapping[str, Any], addresses: Sequence[str] = ()
) -> None:
    """Promise the job that does an extraction step, with these pages beside those of its source.

    It is a job like any other, a part of the workflow's run, which its callers do not see.
    """
    requested = options(job, step)
    body = {
        "type": "extraction",
        "source": dict(source),
        "schema": requested["with"]["schema"],
        "max_pages": job.body["max_pages"],
        "parallel": requested["parallel"],
        "deadline_seconds": _seconds_left(tx, job),
        "metadata": {},
    }
    if rate := _sample_rate(job, step):
        body["validation"] = {"sample_rate": rate, "require_provenance": False}
    child = page_jobs.submit(
        tx, job.account_id, "extraction", body, kept_seconds=0.0, part_of=step.run_id
    )
    run_id = required(child.run_id, LookupError(child.id))
    if addresses:
        page_store.add(tx, run_id, addresses, most=job.body["max_pages"])
    step_store.extract(tx, step, child.id, run_id)


def _seconds_left(tx: Tx, job: PageJob) -> float:
    """An extraction ends with the workflow at the latest."""
    if job.deadline_at is None:
        return job.deadline_seconds
    return max(1.0, (job.deadline_at - schedule_store.clock(tx)).total_seconds())


def _sample_rate(job: PageJob, step: Step) -> float:
    """Returns the highest rate that the steps which validate its records want."""
    steps = job.body["steps"]
    below = graph.downstream(steps, step.step)
    rates = [s["with"]["rate"] for s in steps if s["id"] in below and s["type"] == "validate"]
    return max(rates, default=0.0)


def _extraction_ended(tx: Tx, step: Step, ended: EndedPart) -> None:
    run = run_store.by_id(tx, ended.part_id)
    if run is not None and run.stop_reason in _EXTRACTION_DONE:
        step_store.end(tx, step, "done", items_in=run.found, items_out=run.records)
        return
    error = ended.error or (run.error if run else None)
    _fail(tx, step, error or {"code": ended.state, "message": "It was not done."})


def _slice_ended(tx: Tx, step: Step, ended: EndedPart) -> None:
    if ended.state != "succeeded":
        _fail(tx, step, ended.error or {"code": ended.state, "message": "It was not done."})
    elif not step.complete:
        _slice(tx, step, ended.account_id)
    elif step.type == "search":
        _refill(tx, job_of(tx, step.run_id), step)
    elif step.job_id is None:
        step_store.end(tx, step, "done")


def _lane_ended(tx: Tx, step: Step, ended: EndedPart) -> None:
    if ended.state != "succeeded":
        item_store.give_back(tx, ended.part_id, ended.error, ended.begun)
    step = step_store.count_lanes(tx, step, -1)
    _refill(tx, job_of(tx, step.run_id), step)


def _refill(tx: Tx, job: PageJob, step: Step) -> None:
    """Open as many lanes as are worth it, and end the step when nothing is left."""
    parallel = options(job, step)["parallel"]
    left = item_store.left(tx, step.run_id, step.step, parallel * LANE_ITEMS)
    pause = min(LONGEST_PAUSE_SECONDS, PAUSE_SECONDS * 2.0 ** (left.tried - 1))
    run_at = after(tx, pause if left.tried else 0)
    # A lane for every item until there are as many as may be: they are slow, and take turns.
    wanted = parts.lanes_wanted(left.queued, step.lanes_open, lanes=parallel, most=1)
    for _ in range(wanted):
        _slice(tx, step, job.account_id, run_at, lane=True)
    step = step_store.count_lanes(tx, step, wanted)
    if step.lanes_open == 0:
        _items_ended(tx, step)


def _items_ended(tx: Tx, step: Step) -> None:
    """A step over items has failed only when each of them has."""
    failures = item_store.failures(tx, step.run_id, step.step)
    if failures and len(failures) == item_store.count(tx, step.run_id, step.step):
        _fail(tx, step, failures[-1], final=True)
        return
    because = f"{len(failures)} of its items failed" if failures else None
    error = failures[-1] if failures else None
    step_store.end(tx, step, "done", because=because, error=error)


def _fail(tx: Tx, step: Step, error: dict[str, Any], *, final: bool = False) -> None:
    """Try a step again if it may be, else end it and what needs it."""
    job = job_of(tx, step.run_id)
    if not final and step.tries < options(job, step)["retry"]:
        item_store.forget(tx, step.run_id, step.step)
        step_store.try_again(tx, step, error)
        pause = min(LONGEST_PAUSE_SECONDS, PAUSE_SECONDS * 2.0**step.tries)
        _begin(tx, job, replace(step, lanes_open=0), pause)
        return
    because = str(error.get("message", "It failed."))
    step_store.end(tx, step, "failed", because=because, error=error)
    below = graph.downstream(job.body["steps"], step.step)
    for other in step_store.of_run(tx, step.run_id):
        if other.step in below:
            step_store.end(tx, other, "skipped", because=f"{step.step} failed: {because}")


def resume(tx: Tx, run_id: UUID) -> None:
    """No part is open, and yet not all steps have ended: let those go on that were at it.

    It happens only if a part's end could not be written down.
    """
    for step in step_store.of_run(tx, run_id):
        if step.state in ("ready", "running"):
            _fail(tx, step, {"code": "worker_lost", "message": "Its work was lost."})
    advance(tx, run_id)
