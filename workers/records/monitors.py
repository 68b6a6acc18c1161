"""Handler of monitor runs: a tick starts one, lanes read pages, its end reports removed pages."""

from datetime import datetime, timedelta
from uuid import UUID

from app.core import db
from app.core.db import Tx
from app.domains.queue.jobs.parts import Wait
from app.domains.queue.jobs.service import Finish, describe
from app.domains.records.monitors import service as monitors
from app.domains.records.monitors.page_states import MISSING
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import page_store, page_turn_store, run_store
from app.domains.records.page_jobs.runs.failures import SourceUnreadable
from app.domains.records.page_jobs.runs.results import WELL
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.runs import JOIN_SECONDS, end_run
from app.domains.records.page_jobs.store import PageJob
from workers.queue.attempt import Attempt, handles
from workers.records.runs.plan import plan

Next = Finish | Wait


@handles(monitors.RUN)
def go_on(attempt: Attempt) -> Next:
    """Do the next stage of a run. At its deadline it ends with what is there."""
    if not _begun(attempt):
        return lambda _tx: None
    with db.reading() as reader:
        run = run_store.by_id(reader, attempt.id)
        job = store.of_anybody(reader, run.job_id) if run else None
    if run is None or job is None or run.ended_at is not None:
        return lambda _tx: None
    if run.stage == "planning":
        planned = plan(attempt, run, job)
        return Wait(planned.write, planned.until and _ends_at(attempt, run, job))
    if attempt.job.parts_open or attempt.now >= _ends_at(attempt, run, job):
        return _end(attempt, run, "deadline")
    with db.reading() as reader:
        left = page_turn_store.queued_hosts(reader, run.id) or page_turn_store.next_due(
            reader, run.id
        )
    if left:  # a lane that failed gave pages back when no other was open
        return Wait(lambda tx: _open(tx, attempt), _ends_at(attempt, run, job))
    return _end(attempt, run, "page_limit" if run.stats.get("page_limit") else "done")


def _begun(attempt: Attempt) -> bool:
    """True if there is a run: that of a tick begins here, others before they are enqueued."""
    with db.reading() as reader:
        if run_store.by_id(reader, attempt.id) is not None:
            return True
    tick = attempt.payload.get("tick")
    at = None if tick is None else datetime.fromisoformat(tick)
    with attempt.step() as tx:
        return monitors.tick(
            tx, attempt.id, UUID(attempt.payload["job_id"]), attempt.account_id, at
        )


def _ends_at(attempt: Attempt, run: JobRun, job: PageJob) -> datetime:
    """When the run has to end with what it has; its job's own deadline leaves time for that."""
    began = run.started_at or attempt.now
    latest = attempt.now + timedelta(seconds=attempt.seconds_left - JOIN_SECONDS)
    return min(began + timedelta(seconds=job.deadline_seconds), latest)


def _open(tx: Tx, attempt: Attempt) -> None:
    monitors.go_on(tx, attempt.id, attempt.account_id)


def _end(attempt: Attempt, run: JobRun, stop_reason: str) -> Finish:
    """A run that could read nothing has failed; a page that is gone was an answer."""
    attempt.stage("ending", 98)
    with db.reading() as reader:
        outcomes = page_store.outcomes(reader, run.id)
    answered = {*WELL, *MISSING}
    failed = bool(outcomes) and answered.isdisjoint(outcomes)
    error = describe(SourceUnreadable()) if failed else None

    def write(tx: Tx) -> None:
        stats = {**monitors.conclude(tx, run.id), "outcomes": outcomes}
        reason = "error" if failed else stop_reason
        end_run(tx, run.id, reason, stats=stats, error=error)

    return write
