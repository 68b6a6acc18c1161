"""/v1/{product_segment}: what jobs found, and whether its quotes still hold."""

from typing import Any
from uuid import UUID

from flask import Response, current_app, url_for

from app.core import db, ids
from app.core.errors import NotAcceptable, Overloaded
from app.core.http import Blueprint, caller, raises, scoped
from app.core.http.exports import forms
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.long_poll import LongPolls
from app.core.http.pagination import PageIn, numbered, page, place_of
from app.core.ids import Noun
from app.domains.library.passages.snapshots import SnapshotNotFound
from app.domains.library.passages.store import Snapshot
from app.domains.queue.jobs.admission.acceptance import Accepted, accepted, admit
from app.domains.queue.jobs.service import FINISHED, JobNotFound
from app.domains.records.page_jobs import presentation, result_schemas, service
from app.domains.records.page_jobs.export import RecordExport, ndjson, some, table
from app.domains.records.page_jobs.runs import run_store, types
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.page_jobs.verification import verifications, verify_schemas
from app.domains.records.page_jobs.verification.verification_store import Verification

job_results = Blueprint(
    "job-results",
    __name__,
    description="Results of jobs: runs, pages, records with provenance, changes and quote checks.",
    preview=True,
)


@job_results.get("/jobs/<job:job_id>/runs", operation="listRuns")
@scoped("jobs")
@raises(JobNotFound)
@job_results.arguments(PageIn, location="query")
@job_results.response(200, result_schemas.RunPageSchema)
def runs(wanted: dict[str, Any], job_id: UUID) -> dict[str, Any]:
    """List the runs of a job, newest first, including skipped ones."""
    with db.reading() as reader:
        job = service.find(reader, caller().account_id, job_id)
        rows = run_store.page(reader, job.id, wanted.get("cursor"), wanted["limit"] + 1)
    return page("runs", rows, wanted["limit"], presentation.run)


@job_results.get("/jobs/<job:job_id>/pages", operation="listPages")
@scoped("jobs")
@raises(JobNotFound, service.RunNotFound)
@job_results.arguments(result_schemas.PagesIn, location="query")
@job_results.response(200, result_schemas.PagePageSchema)
def pages(wanted: dict[str, Any], job_id: UUID) -> dict[str, Any]:
    """List the pages of a run with their outcomes, in order of discovery."""
    with db.reading() as reader:
        job = service.find(reader, caller().account_id, job_id)
        rows = service.pages_of(
            reader,
            job,
            service.run_of(reader, job, wanted.get("run")),
            outcome=wanted.get("outcome"),
            after=place_of(wanted.get("cursor")),
            limit=wanted["limit"],
        )
    return numbered("pages", rows, wanted["limit"], lambda row: row[0], lambda row: row[1])


@job_results.get("/jobs/<job:job_id>/records", operation="listRecords")
@scoped("jobs")
@raises(JobNotFound, service.RunNotFound, NotAcceptable, Overloaded)
@job_results.arguments(result_schemas.RecordsIn, location="query")
@job_results.response(200, result_schemas.RecordPageSchema)
@job_results.doc(**result_schemas.EXPORTS)
def records(wanted: dict[str, Any], job_id: UUID) -> Any:
    """List the records of a run: pages of JSON, or all as NDJSON or CSV by `Accept`.

    Exports are streams that start after `cursor`. A broken stream is incomplete.
    """
    form = forms.wanted()
    account_id, limit = caller().account_id, wanted["limit"]
    with db.reading() as reader:
        job = service.find(reader, account_id, job_id)
        export = RecordExport(
            account_id=account_id,
            job_id=job.id,
            run_id=service.run_of(reader, job, wanted.get("run")),
            after=place_of(wanted.get("cursor")),
            min_confidence=wanted["min_confidence"],
        )
        rows = some(reader, export, limit + 1) if form == forms.JSON else []
    if form != forms.JSON:
        return _exported(export, job, form, wanted)
    names = presentation.names(service.plans(job))
    return numbered(
        "records",
        rows,
        limit,
        lambda row: row.position,
        lambda row: presentation.record(row, names),
    )


def _exported(export: RecordExport, job: PageJob, form: str, wanted: dict[str, Any]) -> Response:
    """Raises Overloaded."""
    plans = service.plans(job)
    if form == forms.CSV:
        options = {name: wanted[name] for name in ("provenance", "bom")}
        chunks = table(export, plans, **options)
    else:
        chunks = ndjson(export, plans)
    return forms.streamed(chunks, form)


@job_results.get("/jobs/<job:job_id>/changes", operation="listChanges")
@scoped("jobs")
@raises(JobNotFound, service.RunNotFound)
@job_results.arguments(result_schemas.ChangesIn, location="query")
@job_results.response(200, result_schemas.ChangePageSchema)
def changes(wanted: dict[str, Any], job_id: UUID) -> dict[str, Any]:
    """List the changes found by a monitor, newest first. Other jobs have no changes."""
    limit = wanted["limit"]
    with db.reading() as reader:
        job = service.find(reader, caller().account_id, job_id)
        run = service.run_of(reader, job, wanted["run"]) if "run" in wanted else None
        which = types.ChangeFilter(
            run_id=run, verdict=wanted.get("verdict"), before=wanted.get("cursor"), most=limit + 1
        )
        rows = types.of(job.type).changes(reader, job, which)
    return page("changes", rows, limit)


@job_results.get("/snapshots/<snap:snapshot_id>", operation="getSnapshot")
@scoped("jobs")
@raises(SnapshotNotFound)
@job_results.response(200, result_schemas.PageTextSchema)
def snapshot(snapshot_id: UUID) -> RowView:
    """Get the stored text of a page with its hash and fetch time."""
    with db.reading() as reader:
        return presentation.snapshot(service.snapshot(reader, caller().account_id, snapshot_id))


@job_results.post("/verify", operation="verifyQuote")
@scoped("jobs")
@raises(SnapshotNotFound)
@job_results.arguments(verify_schemas.VerifyIn)
@job_results.response(200, verify_schemas.VerificationSchema)
@job_results.alt_response(202, schema=verify_schemas.VerificationSchema)
def verify(body: dict[str, Any]) -> Accepted:
    """Compare a quote with its stored page and the live page.

    The comparison with the stored page comes at once, with 202. Poll the address in `Location` for
    the live page. Without a stored page, 202 comes only if the page takes longer than 20 seconds.
    """
    snapshot = _cited(body)
    stored = None
    if snapshot is not None:
        stored = verifications.stored(snapshot.text, body["quote"], body.get("start"))
    if not body["live"]:
        return presentation.verified(stored), 200, {}

    def make(tx: db.Tx) -> dict[str, Any]:
        admit(tx, verifications.VERIFY)
        account_id, quote = caller().account_id, body["quote"]
        url = snapshot.url if snapshot else body["url"]
        id = verifications.begin(
            tx, account_id, url=url, quote=quote, snapshot=snapshot, stored=stored
        )
        return {"id": str(id)}

    patience = 0.0 if stored else verifications.WAIT_SECONDS
    return _awaited(UUID(once(body, make)["id"]), patience)


def _cited(body: dict[str, Any]) -> Snapshot | None:
    """The text that the quote is from. Raises SnapshotNotFound for one nobody of the account read;
    an address may be unknown."""
    account_id = caller().account_id
    with db.reading() as reader:
        if "snapshot" in body:
            id = ids.lookup(Noun.SNAPSHOT, body["snapshot"])
            return service.snapshot(reader, account_id, id)
        return verifications.latest_snapshot(reader, account_id, body["url"])


def _awaited(id: UUID, seconds: float) -> Accepted:
    account_id = caller().account_id

    def read() -> Verification:
        with db.reading() as reader:
            return verifications.find(reader, account_id, id)

    waiting: LongPolls = current_app.extensions["waiting"]
    found = waiting.until(id, read, lambda each: each.state in FINISHED, seconds)
    if found.state in FINISHED:
        return presentation.verification(found), 200, {}
    location = url_for("job-results.show_verification", verification_id=id)
    return accepted(presentation.verification(found), location)


@job_results.get("/verify/<vfy:verification_id>", operation="getVerification")
@scoped("jobs")
@raises(verifications.VerificationNotFound)
@job_results.response(200, verify_schemas.VerificationSchema)
def show_verification(verification_id: UUID) -> RowView:
    """Get the result of a quote check. Kept for a day."""
    with db.reading() as reader:
        found = verifications.find(reader, caller().account_id, verification_id)
    return presentation.verification(found)
