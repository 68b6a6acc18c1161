"""The run of a workflow: it plans, waits for its steps, and at last joins their records."""

from uuid import UUID

from app.core import db
from app.domains.queue.jobs.parts import Wait
from app.domains.queue.jobs.service import Finish
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import record_store, run_store
from app.domains.records.workflows import service as workflows
from app.domains.records.workflows import step_store, transitions
from app.domains.records.workflows.step_store import Step
from workers.queue.attempt import Attempt, handles

COPIED_AT_ONCE = 500


@handles(workflows.RUN)
def run(attempt: Attempt) -> Finish | Wait:
    """Plan; woken because all steps have ended, or because the time is up, join."""
    with db.reading() as reader:
        steps = step_store.of_run(reader, attempt.id)
        job = transitions.job_of(reader, attempt.id)
    if not steps:
        return Wait(lambda tx: transitions.plan(tx, attempt.id), job.deadline_at)
    unfinished = not all(step.ended for step in steps)
    late = job.deadline_at is not None and job.deadline_at <= attempt.now
    if unfinished and not late:
        return Wait(lambda tx: transitions.resume(tx, attempt.id), job.deadline_at)
    records = _join(attempt, attempt.id, workflows.last_steps(job, steps))
    return lambda tx: workflows.finish(tx, attempt.id, records=records, late=unfinished)


@handles(workflows.JOIN)
def join(attempt: Attempt) -> Finish:
    """The records of a run that was cancelled, unless its job is to be erased."""
    job_id, run_id = (UUID(attempt.payload[name]) for name in ("job_id", "run_id"))
    with db.reading() as reader:
        job = store.by_id(reader, job_id, attempt.account_id)
        steps = step_store.of_run(reader, run_id)
    records = 0 if job is None else _join(attempt, run_id, workflows.last_steps(job, steps))
    return lambda tx: run_store.count(tx, run_id, records=records)


def _join(attempt: Attempt, run_id: UUID, last: list[Step]) -> int:
    """Make the records of the last steps the workflow's; how many there are."""
    joined = 0
    for step in last:
        after = 0
        while True:
            with db.reading() as reader:
                portion = workflows.outputs(reader, step, after, COPIED_AT_ONCE)
            if not portion:
                break
            ids = [item.record_id for item in portion if item.record_id is not None]
            with attempt.step() as tx:
                record_store.copy(tx, run_id, ids, first=joined + 1)
            joined, after = joined + len(ids), portion[-1].n
    return joined
