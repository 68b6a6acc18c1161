"""A run over the pages of a job: it plans, waits for its lanes, learns, samples, and ends.

Each stage but the last makes the job wait for parts; the run's row says which comes next.
"""

from collections.abc import Callable
from math import ceil
from typing import Any

from app.core import db
from app.core.db import Tx
from app.domains.queue.jobs.parts import Wait
from app.domains.queue.jobs.service import Finish, describe, enqueue
from app.domains.records.page_jobs import kinds, store
from app.domains.records.page_jobs.runs import (
    continuation,
    page_store,
    page_turn_store,
    record_store,
    run_store,
)
from app.domains.records.page_jobs.runs.continuation import READING
from app.domains.records.page_jobs.runs.failures import SourceUnreadable
from app.domains.records.page_jobs.runs.results import WELL
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.runs import JOIN_SECONDS, end_run
from app.domains.records.page_jobs.store import PageJob
from workers.queue.attempt import Attempt, handles
from workers.records.lanes.model import budget_was_reached
from workers.records.lanes.page_outcome import ReadingTask
from workers.records.runs.plan import ends_at, plan
from workers.records.runs.samples import first_slices
from workers.records.runs.templates import learn_from
from workers.records.runs.validation import validation_of

LEARNING, SAMPLING = "consensus", "sampling"
_FEWEST_PAGES = 4
_MOST_PARTS = 32

Next = Finish | Wait


@handles(continuation.RUN)
def go_on(attempt: Attempt) -> Next:
    """Do the next stage of a run. At its deadline it ends with what is there."""
    with db.reading() as reader:
        run = run_store.by_id(reader, attempt.id)
        job = store.of_anybody(reader, run.job_id) if run else None
    if run is None or job is None or run.ended_at is not None:
        return lambda _tx: None
    if run.stage == "planning":
        return plan(attempt, run, job)
    if attempt.job.parts_open or attempt.seconds_left <= JOIN_SECONDS:
        return _end_at_deadline(attempt, run, job)
    return _STAGES[run.stage](attempt, run, job)


def _after_reading(attempt: Attempt, run: JobRun, job: PageJob) -> Next:
    """Every page has been read: each host with several of them is learnt from once more."""
    with db.reading() as reader:
        pages = page_store.read_of_hosts(reader, run.id)
        queued = page_turn_store.queued_hosts(reader, run.id)
    if queued:  # a lane that failed gave them back when no other was open
        return Wait(lambda tx: _refill(tx, attempt), ends_at(attempt))
    hosts = [host for host, count in pages.items() if _is_worth_learning(run, host, count)]
    if not hosts:
        return _after_learning(attempt, run, job)
    attempt.stage(LEARNING, 85)

    def write(tx: Tx) -> None:
        continuation.learn(tx, run, attempt.account_id, attempt.id, hosts[:_MOST_PARTS])
        run_store.set_stage(tx, run.id, READING if hosts[_MOST_PARTS:] else LEARNING)

    return Wait(write, ends_at(attempt))


def _is_worth_learning(run: JobRun, host: str, pages: int) -> bool:
    return pages >= _FEWEST_PAGES and pages != continuation.learnt_from(run.templates, host)


def _refill(tx: Tx, attempt: Attempt) -> None:
    continuation.refill(tx, attempt.id, attempt.account_id, attempt.id)


def _after_learning(attempt: Attempt, run: JobRun, job: PageJob) -> Next:
    """The records stay as they are now: some of them are read a second time."""
    rate = (job.body.get("validation") or {}).get("sample_rate", 0.0)
    most = min(run.records, ceil(round(rate * run.records, 9)))
    if not most:
        return _end(attempt, run, job)
    attempt.stage(SAMPLING, 90)

    def write(tx: Tx) -> None:
        for payload in first_slices(run.id, most):
            enqueue(tx, kinds.SAMPLE, attempt.account_id, payload, parent=attempt.id)
        run_store.set_stage(tx, run.id, SAMPLING)

    return Wait(write, ends_at(attempt))


def _end_at_deadline(attempt: Attempt, run: JobRun, job: PageJob) -> Finish:
    """Ends the run: what lanes have not come to is left, and sites are learnt from."""
    task = ReadingTask.of(run, job)
    with db.reading() as reader:
        pages = page_store.read_of_hosts(reader, run.id)
    for host, count in pages.items():
        if _is_worth_learning(run, host, count) and attempt.seconds_left > JOIN_SECONDS / 2:
            learn_from(attempt, task, host)
    return _end(attempt, run, job, stop_reason="deadline")


def _end(attempt: Attempt, run: JobRun, job: PageJob, stop_reason: str = "done") -> Finish:
    attempt.stage("ending", 98)
    with db.reading() as reader:
        outcomes = page_store.outcomes(reader, run.id)
        unsatisfied = record_store.unsatisfied(reader, run.id)
        filled = record_store.filled(reader, run.id)
        validation = validation_of(reader, run, job)
    if stop_reason == "done" and run.stats.get("page_limit"):
        stop_reason = "page_limit"
    elif stop_reason == "done" and budget_was_reached(run):
        stop_reason = "budget_reached"
    error: dict[str, Any] | None = None
    if outcomes and not any(outcome in WELL for outcome in outcomes):
        stop_reason, error = "error", describe(SourceUnreadable())
    stats = {"outcomes": outcomes, "unsatisfied": unsatisfied, "fields": filled}

    def write(tx: Tx) -> None:
        end_run(tx, run.id, stop_reason, stats=stats, validation=validation, error=error)

    return write


_STAGES: dict[str, Callable[[Attempt, JobRun, PageJob], Next]] = {
    READING: _after_reading,
    LEARNING: _after_learning,
    SAMPLING: _end,
}
