"""Jobs that read pages: accepting, finding, cancelling, running again, erasing.

What is particular to a type (extraction, monitoring, workflow) is in its `JobType`; what a run of
any type does with its pages is in `runs`.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.core.errors import Conflict, Invalid, NotFound, RateLimited, required
from app.core.ids import Noun
from app.domains.library.passages import snapshots
from app.domains.library.passages.snapshots import SnapshotNotFound
from app.domains.library.passages.store import Snapshot
from app.domains.queue.jobs import schedule_store, schedules
from app.domains.queue.jobs import service as jobs
from app.domains.queue.webhooks import store as webhook_store
from app.domains.queue.webhooks.service import endpoint_for_job
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.kinds import DEADLINE_SECONDS
from app.domains.records.page_jobs.runs import erasure, page_store, run_store, runs, types
from app.domains.records.page_jobs.runs.page_store import JobPage
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.schema.schema import Plan, plan

MOST_QUEUED_PAGES: Final = 20_000
"""Of an account; as long as so many wait it gets no further job."""
RETRY_SECONDS: Final = 60

RUN_PLACES: Final = 1_000_000_000
"""Places that each of a job's runs has in the list of its pages."""


class RunNotFound(NotFound):
    """This job has no run with this id."""

    code = "run_not_found"


class RunInProgress(Conflict):
    """A run of this job is in progress. Wait for it to end, or cancel the job."""

    code = "run_in_progress"


class NotScheduled(Conflict):
    """This job has no schedule: it runs once, or has ended."""

    code = "job_not_scheduled"


class NoEngineConfigured(Invalid):
    """This server has no web engine and no indexed pages, so a search cannot find pages."""

    code = "no_engine_configured"


def check(reader: Reader, body: Mapping[str, Any], settings: Settings) -> None:
    """Checks that this server can do what a body of good form wants, as its type does."""
    if (hook := types.of(body["type"]).check) is not None:
        hook(reader, body, settings)


def admit(reader: Reader, account_id: UUID) -> None:
    """Raises RateLimited while too many pages of the account wait to be read."""
    if page_store.queued_of(reader, account_id, MOST_QUEUED_PAGES) >= MOST_QUEUED_PAGES:
        raise RateLimited(retry_after=RETRY_SECONDS)


def submit(
    tx: Tx,
    account_id: UUID,
    type: str,
    body: Mapping[str, Any],
    *,
    kept_seconds: float,
    rerun_of: UUID | None = None,
    part_of: UUID | None = None,
) -> PageJob:
    """Accept a job whose body its type's schema has checked, and begin its first run.

    A step of a workflow is `part_of` the workflow's run, and what reads the pages of a campaign's
    run is of that: callers do not see the job. With no `kept_seconds` it is kept as long as the
    workflow.
    """
    job_type, id = types.of(type), ids.new()
    record = plan(body["schema"]) if body.get("schema") else None
    store.insert(
        tx,
        id=id,
        account_id=account_id,
        type=type,
        body=dict(body),
        plan=record.schema if record else None,
        metadata=body.get("metadata", {}),
        rerun_of=rerun_of,
        webhook_id=None,
        warnings=list(record.warnings) if record else [],
        deadline_seconds=body.get("deadline_seconds", DEADLINE_SECONDS),
        kept_seconds=kept_seconds,
        part_of=part_of,
    )
    job_type.begin(tx, required(store.of_anybody(tx, id), LookupError(id)))
    return required(store.of_anybody(tx, id), LookupError(id))


def attach_webhook(tx: Tx, job: PageJob, terms: DeliveryTerms) -> str | None:
    """Let the endpoint of the body hear of the job; the secret of a new one. Raises Invalid."""
    given = job.body.get("webhook")
    if given is None:
        return None
    id, secret = endpoint_for_job(tx, job.account_id, given, job.id, terms)
    store.set_webhook(tx, job.id, id)
    return secret


def plans(job: PageJob) -> list[Plan]:
    """The plans of its records: one, several of a workflow, none of a job without a schema."""
    return [plan(schema) for schema in types.of(job.type).record_schemas(job)]


def find(reader: Reader, account_id: UUID, id: UUID) -> PageJob:
    """A job of this account. Raises JobNotFound, also for another account's."""
    return required(store.by_id(reader, id, account_id), jobs.JobNotFound)


def cancel(tx: Tx, account_id: UUID, id: UUID) -> PageJob:
    """End a job and its open run, and remove its schedule; an ended one is returned unchanged."""
    job = find(tx, account_id, id)
    if job.ended_at is None:
        _stop(tx, job)
    return find(tx, account_id, job.id)


def _stop(tx: Tx, job: PageJob) -> None:
    """A job with a schedule is locked first, so that no run begins meanwhile; another has one run,
    which is locked first wherever it ends."""
    if job.schedule_id is not None:
        runs.end_job(tx, job.id, "cancelled")
        schedule_store.delete(tx, job.schedule_id)
    open_run = run_store.open_of(tx, job.id)
    if open_run is not None and jobs.cancel(tx, open_run) is None:
        runs.end_run(tx, open_run, "cancelled")  # its job ended, or its row is gone
    runs.end_job(tx, job.id, "cancelled")
    types.of(job.type).cancel(tx, job)


def pause(tx: Tx, account_id: UUID, id: UUID) -> PageJob:
    """Begin no further run by the schedule; an open run goes on. Raises NotScheduled."""
    job = find(tx, account_id, id)
    schedules.pause(tx, _schedule_of(job))
    return find(tx, account_id, job.id)


def resume(tx: Tx, account_id: UUID, id: UUID) -> PageJob:
    """Go on by the schedule; runs that were missed are one. Raises NotScheduled."""
    job = find(tx, account_id, id)
    schedules.resume(tx, _schedule_of(job))
    return find(tx, account_id, job.id)


def _schedule_of(job: PageJob) -> UUID:
    if job.schedule_id is None or job.ended_at is not None:
        raise NotScheduled
    return job.schedule_id


def delete(tx: Tx, account_id: UUID, id: UUID) -> None:
    """Cancel a job, make it unreadable at once, and promise to delete all of its rows."""
    job = find(tx, account_id, id)
    if job.ended_at is None:
        _stop(tx, job)
    if store.erase(tx, job.id, account_id):
        webhook_store.delete_of_job(tx, job.id)
        erasure.promise(tx, job.id)


def rerun(tx: Tx, account_id: UUID, id: UUID, *, kept_seconds: float) -> PageJob:
    """The same job again, or a run of one with a schedule. Raises NotScheduled, RunInProgress."""
    job = find(tx, account_id, id)
    again = types.of(job.type).rerun
    if again is None:
        return submit(
            tx, account_id, job.type, job.body, kept_seconds=kept_seconds, rerun_of=job.id
        )
    if job.schedule_id is None or not store.lock_live(tx, job.id):
        raise NotScheduled
    if run_store.open_of(tx, job.id) is not None:
        raise RunInProgress
    again(tx, job)
    return find(tx, account_id, job.id)


# What a job has: a run, pages, snapshots.


def run_of(reader: Reader, job: PageJob, public_id: str | None) -> UUID | None:
    """A run of the job, or without an id the latest, if any. Raises RunNotFound."""
    if public_id is None:
        return job.run_id
    run = run_store.by_id(reader, ids.lookup(Noun.RUN, public_id))
    if run is None or run.job_id != job.id:
        raise RunNotFound
    return run.id


def pages_of(
    reader: Reader,
    job: PageJob,
    run_id: UUID | None,
    *,
    outcome: str | None,
    after: int,
    limit: int,
) -> list[tuple[int, JobPage]]:
    """In the order in which they were found, one more than `limit`, each with its place there."""
    runs = [] if run_id is None else types.of(job.type).page_runs(reader, run_id)
    found: list[tuple[int, JobPage]] = []
    for number, run in enumerate(runs):
        first, most = number * RUN_PLACES, limit + 1 - len(found)
        if run is None or not most:
            continue
        rows = page_store.listed(
            reader, run, outcome=outcome, after=max(0, after - first), most=most
        )
        found += [(first + row.n, row) for row in rows]
    return found


def snapshot(reader: Reader, account_id: UUID, id: UUID) -> Snapshot:
    """A text that a page or a change of the account cites. Raises SnapshotNotFound."""
    if not _cited(reader, account_id, id):
        raise SnapshotNotFound
    return snapshots.find(reader, id)


def _cited(reader: Reader, account_id: UUID, snapshot_id: UUID) -> bool:
    if page_store.cites(reader, account_id, snapshot_id):
        return True
    cites = [*(type.cites for type in types.TYPES), *types.CITED]
    return any(cited(reader, account_id, snapshot_id) for cited in cites)


# The worker's side.


def erase_some_of(tx: Tx, account_id: UUID, most: int = 1_000) -> int:
    """Delete a bounded number of rows of an account's jobs, in any state; 0: it has none left."""
    job_id = store.any_of(tx, account_id)
    if job_id is None:
        return 0
    store.erase(tx, job_id, account_id)
    return erasure.step(tx, job_id, most) or 1


def expire(tx: Tx, most: int = 1_000) -> int:
    """Make jobs past their retention unreadable and promise to erase them; how many."""
    expired = store.expire(tx, most)
    for id in expired:
        webhook_store.delete_of_job(tx, id)
        erasure.promise(tx, id)
    return len(expired)
