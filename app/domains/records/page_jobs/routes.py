"""/v1/{product_segment}/jobs: starting, watching, cancelling and erasing jobs that read pages."""

from typing import Any
from uuid import UUID

from flask import Response, current_app, url_for

from app.core import db
from app.core.config.settings import Settings
from app.core.errors import Overloaded
from app.core.http import Blueprint, caller, current_settings, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.long_poll import TooManyStreams, WaitIn
from app.core.http.pagination import page
from app.domains.queue.jobs.admission.acceptance import Accepted, accepted, admit
from app.domains.queue.jobs.service import JobNotFound
from app.domains.queue.jobs.watch import EVENT
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.domains.records.page_jobs import presentation, schemas, service, store
from app.domains.records.page_jobs.presentation import WATCHED
from app.domains.records.page_jobs.runs import types
from app.domains.records.page_jobs.store import PageJob

page_jobs = Blueprint(
    "jobs",
    __name__,
    description="Jobs that read pages: extraction, monitoring, workflows.",
    preview=True,
)


def _days() -> float:
    return current_settings().retention_days * 86_400


def _accepted(job: dict[str, Any]) -> Accepted:
    return accepted(job, url_for("jobs.show", job_id=job["id"]))


def _admit(tx: db.Tx, type: str, seconds: float) -> None:
    """Raises Overloaded, RateLimited."""
    service.admit(tx, caller().account_id)
    admit(tx, types.of(type).kind, seconds)


@page_jobs.post("/jobs", operation="createJob")
@scoped("jobs")
@raises(service.NoEngineConfigured)
@page_jobs.arguments(schemas.JobIn)
@page_jobs.response(202, schemas.JobOut)
def create(body: dict[str, Any]) -> Accepted:
    """Start a job. Poll the address in `Location`."""
    settings = current_settings()

    def make(tx: db.Tx) -> RowView:
        service.check(tx, body, settings)
        _admit(tx, body["type"], body["deadline_seconds"])
        job = service.submit(tx, caller().account_id, body["type"], body, kept_seconds=_days())
        return _presented(tx, job, settings)

    return _accepted(once(body, make, schemas.JobOut))


def _presented(tx: db.Tx, job: PageJob, settings: Settings) -> RowView:
    """A new job, with the secret of an endpoint that was made for it."""
    secret = service.attach_webhook(tx, job, DeliveryTerms.of(settings))
    presented = presentation.whole(tx, service.find(tx, job.account_id, job.id))
    if secret is not None:
        return RowView(presented, webhook={**presented.webhook, "secret": secret})
    return presented


@page_jobs.get("/jobs", operation="listJobs")
@scoped("jobs")
@page_jobs.arguments(schemas.JobsIn, location="query")
@page_jobs.response(200, schemas.JobPageSchema)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your jobs, newest first, without results."""
    with db.reading() as reader:
        jobs = store.page(
            reader,
            caller().account_id,
            type=wanted.get("type"),
            status=wanted.get("status"),
            before=wanted.get("cursor"),
            most=wanted["limit"] + 1,
        )
    return page("jobs", jobs, wanted["limit"], presentation.listed)


@page_jobs.get("/jobs/<job:job_id>", operation="getJob")
@scoped("jobs")
@raises(JobNotFound)
@page_jobs.arguments(WaitIn, location="query")
@page_jobs.response(200, schemas.JobOut)
def show(wanted: dict[str, Any], job_id: UUID) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Get a job. `wait` is the maximum number of seconds to wait for its end."""
    moving, headers = WATCHED.show(caller().account_id, job_id, wanted["wait"])
    return moving.json, 200, headers


@page_jobs.get("/jobs/<job:job_id>/request", operation="getJobRequest")
@scoped("jobs")
@raises(JobNotFound)
@page_jobs.response(200, schemas.JobRequestSchema)
def requested(job_id: UUID) -> dict[str, Any]:
    """Get the request of a job, to change it and send it as a new job."""
    with db.reading() as reader:
        job = service.find(reader, caller().account_id, job_id)
    return {"id": job.id, "request": presentation.as_sent(job)}


@page_jobs.post("/jobs/<job:job_id>/cancel", operation="cancelJob")
@scoped("jobs")
@raises(JobNotFound)
@page_jobs.response(200, schemas.JobOut)
def cancel(job_id: UUID) -> RowView:
    """Cancel a job and its schedule. Keeps its records. An ended job is returned unchanged."""
    with db.transaction() as tx:
        job = service.cancel(tx, caller().account_id, job_id)
        cancelled = presentation.whole(tx, job)
    current_app.extensions["publisher"].moved([job.run_id or job.id])
    return cancelled


@page_jobs.post("/jobs/<job:job_id>/pause", operation="pauseJob")
@scoped("jobs")
@raises(JobNotFound, service.NotScheduled)
@page_jobs.response(200, schemas.JobOut)
def pause(job_id: UUID) -> RowView:
    """Pause the schedule of a monitor."""
    with db.transaction() as tx:
        return presentation.whole(tx, service.pause(tx, caller().account_id, job_id))


@page_jobs.post("/jobs/<job:job_id>/resume", operation="resumeJob")
@scoped("jobs")
@raises(JobNotFound, service.NotScheduled)
@page_jobs.response(200, schemas.JobOut)
def resume(job_id: UUID) -> RowView:
    """Resume a paused monitor. If it missed runs, one run starts immediately."""
    with db.transaction() as tx:
        return presentation.whole(tx, service.resume(tx, caller().account_id, job_id))


@page_jobs.delete("/jobs/<job:job_id>", operation="deleteJob")
@scoped("jobs")
@raises(JobNotFound)
@page_jobs.response(204)
def delete(job_id: UUID) -> None:
    """Delete a job and its records. Cancels a running job first."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, job_id)


@page_jobs.post("/jobs/<job:job_id>/rerun", operation="rerunJob")
@scoped("jobs")
@raises(JobNotFound, service.NotScheduled, service.RunInProgress, service.NoEngineConfigured)
@page_jobs.response(202, schemas.JobOut)
def rerun(job_id: UUID) -> Accepted:
    """Run a job again as a new job. For a monitor, start a run now."""
    settings = current_settings()

    def make(tx: db.Tx) -> RowView:
        account_id = caller().account_id
        former = service.find(tx, account_id, job_id)
        service.check(tx, former.body, settings)
        _admit(tx, former.type, former.deadline_seconds)
        job = service.rerun(tx, account_id, job_id, kept_seconds=_days())
        if job.id == former.id:
            return presentation.whole(tx, job)
        return _presented(tx, job, settings)

    return _accepted(once({"rerun": job_id}, make, schemas.JobOut))


@page_jobs.get("/jobs/<job:job_id>/events", operation="watchJob")
@scoped("jobs")
@raises(JobNotFound, TooManyStreams, Overloaded)
@page_jobs.response(
    200,
    EVENT,
    content_type="text/event-stream",
    description="Server-sent events: `event`, `id` and JSON `data`; a comment every 10 seconds.",
)
@page_jobs.alt_response(
    204, description="`Last-Event-ID` is the last event; there are no further events."
)
def events(job_id: UUID) -> Response:
    """Stream progress as server-sent events: `status`, `progress`, then `completed` with the job.

    If the stream ends without `completed`, reconnect with `Last-Event-ID`.
    """
    return WATCHED.watch(caller().account_id, job_id)
