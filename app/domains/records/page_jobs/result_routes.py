"""/v1/{product_segment}: what jobs found, and whether its quotes still hold."""

from typing import Any
from uuid import UUID

from flask import Response, current_app, url_for

from app.core import db, ids
from app.core.errors import NotAcceptable, Overloaded
from app.core.http import Blueprint, caller, exports, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.long_poll import LongPolls
from app.core.http.pagination import PageIn, numbered, page, place_of
from app.core.ids import Noun
from app.domains.library.passages.service import SnapshotNotFound
from app.domains.library.passages.store import Snapshot
from app.domains.queue.jobs.service import FINISHED, JobNotFound
from app.domains.queue.jobs.watch import POLL_SECONDS
from app.domains.records.page_jobs import export as exporting
from app.domains.records.page_jobs import presentation, result_schemas, service
from app.domains.records.page_jobs.runs import types
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.page_jobs.verification import verifications, verify_schemas
from app.domains.records.page_jobs.verification.verification_store import Verification
from app.engine.extraction.schema.schema import plan

bp = Blueprint(
    "job-results",
    __name__,
    description="What jobs found: runs, pages, records with provenance, changes; checking quotes.",
    preview=True,
)


@bp.get("/jobs/<string:job_id>/runs")
@scoped("jobs")
@raises(JobNotFound)
@bp.arguments(PageIn, location="query")
@bp.response(200, result_schemas.RunPageSchema)
@bp.doc(operationId="listRuns")
def runs(wanted: dict[str, Any], job_id: str) -> dict[str, Any]:
    """The runs of a job, newest first; those that were skipped say so."""
    with db.reading() as reader:
        job = service.find(reader, caller().account_id, job_id)
        rows = service.runs_of(reader, job, wanted.get("cursor"), wanted["limit"])
    return page("runs", rows, wanted["limit"], presentation.run)


@bp.get("/jobs/<string:job_id>/pages")
@scoped("jobs")
@raises(JobNotFound, service.RunNotFound)
@bp.arguments(result_schemas.PagesIn, location="query")
@bp.response(200, result_schemas.PagePageSchema)
@bp.doc(operationId="listPages")
def pages(wanted: dict[str, Any], job_id: str) -> dict[str, Any]:
    """The pages of a run in the order in which they were found, and what became of each."""
    with db.reading() as reader:
        job = service.find(reader, caller().account_id, job_id)
        rows = service.pages_of(
            reader,
            service.run_of(reader, job, wanted.get("run")),
            outcome=wanted.get("outcome"),
            after=place_of(wanted.get("cursor")),
            limit=wanted["limit"],
        )
    return numbered("pages", rows, wanted["limit"], lambda row: row.n, presentation.page)


@bp.get("/jobs/<string:job_id>/records")
@scoped("jobs")
@raises(JobNotFound, service.RunNotFound, NotAcceptable, Overloaded)
@bp.arguments(result_schemas.RecordsIn, location="query")
@bp.response(200, result_schemas.RecordPageSchema)
@bp.doc(operationId="listRecords", **result_schemas.EXPORTS)
def records(wanted: dict[str, Any], job_id: str) -> Any:
    """The records of a run: pages of JSON, or by `Accept` all of them as NDJSON or CSV.

    An export is a stream of any size, from behind `cursor` on; one that breaks off is incomplete.
    """
    form = exports.wanted_form()
    account_id, limit = caller().account_id, wanted["limit"]
    with db.reading() as reader:
        job = service.find(reader, account_id, job_id)
        export = exporting.RecordExport(
            account_id=account_id,
            job_id=job.id,
            run_id=service.run_of(reader, job, wanted.get("run")),
            after=place_of(wanted.get("cursor")),
            min_confidence=wanted["min_confidence"],
        )
        rows = exporting.some(reader, export, limit + 1) if form == exports.JSON else []
    if form != exports.JSON:
        return _exported(export, job, form, wanted)
    names = list(job.plan["properties"]) if job.plan else []
    return numbered(
        "records",
        rows,
        limit,
        lambda row: row.position,
        lambda row: presentation.record(row, names),
    )


def _exported(
    export: exporting.RecordExport, job: PageJob, form: str, wanted: dict[str, Any]
) -> Response:
    """Raises Overloaded."""
    record = plan(job.plan) if job.plan else None
    if form == exports.CSV:
        options = {name: wanted[name] for name in ("provenance", "bom")}
        chunks = exporting.table(export, record, **options)
    else:
        chunks = exporting.ndjson(export, record)
    return exports.streamed(chunks, form)


@bp.get("/jobs/<string:job_id>/changes")
@scoped("jobs")
@raises(JobNotFound, service.RunNotFound)
@bp.arguments(result_schemas.ChangesIn, location="query")
@bp.response(200, result_schemas.ChangePageSchema)
@bp.doc(operationId="listChanges")
def changes(wanted: dict[str, Any], job_id: str) -> dict[str, Any]:
    """What a monitor found different, newest first; jobs of other types have no changes."""
    limit = wanted["limit"]
    with db.reading() as reader:
        job = service.find(reader, caller().account_id, job_id)
        run = service.run_of(reader, job, wanted["run"]) if "run" in wanted else None
        which = types.ChangeFilter(
            run_id=run,
            verdict=wanted.get("verdict"),
            before=wanted.get("cursor"),
            most=limit + 1,
        )
        rows = service.changes_of(reader, job, which)
    return page("changes", rows, limit, presentation.change)


@bp.get("/snapshots/<string:snapshot_id>")
@scoped("jobs")
@raises(SnapshotNotFound)
@bp.response(200, result_schemas.PageTextSchema)
@bp.doc(operationId="getSnapshot")
def snapshot(snapshot_id: str) -> RowView:
    """The stored text that quotes of your jobs were cut from, its hash and fetch time."""
    with db.reading() as reader:
        return presentation.snapshot(service.snapshot(reader, caller().account_id, snapshot_id))


@bp.post("/verify")
@scoped("jobs")
@raises(SnapshotNotFound)
@bp.arguments(verify_schemas.VerifyIn)
@bp.response(200, verify_schemas.VerificationSchema)
@bp.alt_response(202, schema=verify_schemas.VerificationSchema)
@bp.doc(operationId="verifyQuote")
def verify(body: dict[str, Any]) -> tuple[Any, int, dict[str, str]]:
    """Check a quote against the text it was cut from, and against what its page says now.

    202 when the page takes longer than 20 seconds: read on at the address in `Location`.
    """
    snapshot = _cited(body)
    stored = None
    if snapshot is not None:
        stored = verifications.stored(snapshot.text, body["quote"], body.get("start"))
    if not body["live"]:
        return presentation.verified(stored), 200, {}

    def make(tx: db.Tx) -> dict[str, Any]:
        account_id = caller().account_id
        current_app.extensions["backpressure"].admit(tx, verifications.VERIFY, account_id)
        url = snapshot.url if snapshot else body["url"]
        id = verifications.begin(
            tx, account_id, url=url, quote=body["quote"], snapshot=snapshot, stored=stored
        )
        return {"id": str(id)}

    return _awaited(UUID(once(body, make)["id"]))


def _cited(body: dict[str, Any]) -> Snapshot | None:
    """The text that the quote is from. Raises SnapshotNotFound for one nobody of the account read;
    an address may be unknown."""
    account_id = caller().account_id
    with db.reading() as reader:
        if "snapshot" in body:
            return service.snapshot(reader, account_id, body["snapshot"])
        return verifications.latest_snapshot(reader, account_id, body["url"])


def _awaited(id: UUID) -> tuple[RowView, int, dict[str, str]]:
    account_id, public_id = caller().account_id, ids.public(Noun.VERIFICATION, id)

    def read() -> Verification:
        with db.reading() as reader:
            return verifications.find(reader, account_id, public_id)

    waiting: LongPolls = current_app.extensions["waiting"]
    found = waiting.until(id, read, lambda each: each.state in FINISHED, verifications.WAIT_SECONDS)
    if found.state in FINISHED:
        return presentation.verification(found), 200, {}
    location = url_for("job-results.show_verification", verification_id=public_id)
    headers = {"Location": location, "Retry-After": str(POLL_SECONDS)}
    return presentation.verification(found), 202, headers


@bp.get("/verify/<string:verification_id>")
@scoped("jobs")
@raises(verifications.VerificationNotFound)
@bp.response(200, verify_schemas.VerificationSchema)
@bp.doc(operationId="getVerification")
def show_verification(verification_id: str) -> RowView:
    """What checking a quote came to; kept for a day."""
    with db.reading() as reader:
        found = verifications.find(reader, caller().account_id, verification_id)
    return presentation.verification(found)
