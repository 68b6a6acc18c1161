"""Jobs that read pages into records: all of them, and one with the proof of each of its values."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response

from app.core import db
from app.core.errors import Invalid
from app.core.http import caller
from app.core.http.access import signed_in
from app.domains.library.passages.snapshots import SnapshotNotFound
from app.domains.records.page_jobs import service
from app.domains.records.page_jobs.export import RecordExport, ndjson, table
from app.web.citations import cited_quotes, provenance, stored_pages
from app.web.citations.provenance import FieldView
from app.web.frame import tables
from app.web.frame.operations import call, every, page_of
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again
from app.web.pages.records import corrections, job_times, job_view, sample_shop
from app.web.pages.records.forms import schema_form
from app.web.pages.records.job_view import ENDED, OWN_PAGES

bp = Blueprint("extraction_pages", __name__)

PAGES: Final = 50
CURL: Final = """\
curl -s "$SERVICE_BASE_URL{path}" -H "X-API-Key: $SERVICE_API_KEY" \\
  -H 'Content-Type: application/json' -d @job.json"""
PYTHON: Final = 'client.jobs.create(json.load(open("job.json")))'
_MUCH: Final = 0.5
_FILTERS: Final = ("type", "status")
_COLUMNS: Final = (
    "id", "type", "status", "source", "pages_done", "pages_failed", "records", "coverage",
    "created_at", "started_at", "completed_at",
)  # fmt: skip


@bp.get("/extractions")
@signed_in
def index() -> Response:
    page = page_of("listJobs", _filters())
    return render(
        "extractions/list.html",
        live="rows",
        page=page,
        filtered=any(_filters().values()),
        sample=sample_shop.schema_text(),
        sample_works=sample_shop.can_be_read(),
        query_string=urlencode({name: value for name, value in _filters().items() if value}),
    )


def _filters() -> dict[str, str | None]:
    return {name: request.args.get(name) for name in _FILTERS}


@bp.get("/extractions.<any(csv,json):form>")
@signed_in
def export_jobs(form: str) -> Response:
    jobs = every("listJobs", "jobs", _filters())
    return tables.export_items("extractions", _COLUMNS, map(_facts, jobs), form)


def _facts(job: Mapping[str, Any]) -> dict[str, Any]:
    source = job["source"] or {}
    return {**job, **job["progress"], "source": source.get("query") or source.get("url")}


@bp.get("/extractions/<job_id>")
@signed_in
def show(job_id: str, errors: Invalid | None = None) -> Any:
    job = call("getJob", job_id=job_id)
    if job["type"] in OWN_PAGES and not request.args:
        return redirect(f"{OWN_PAGES[job['type']]}/{job_id}", 303)
    request_body = call("getJobRequest", job_id=job_id)["request"]
    page = cited_quotes.records(job_id, request.args)
    part, verification = request.headers.get("HX-Target"), _verification()
    final = {
        "work": job["status"] in ENDED,
        "verification": verification is not None and verification["status"] == "completed",
    }
    return render(
        "extractions/show.html",
        live=part if part in final else None,
        final=final.get(part or "", False),
        **job_view.of(job),
        timeline=job_times.of_job(job) if job["type"] == "extraction" else None,
        page=page,
        columns=_columns(request_body, page["records"]),
        unsure=_unsure(job, request_body, page["records"]),
        readable=provenance.readable,
        **_chosen(job, request_body.get("schema"), page["records"]),
        verification=verification,
        errors=errors,
    )


def _columns(body: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The fields that the table of records shows: the first few of the schema."""
    names = dict.fromkeys((body.get("schema") or {}).get("properties") or {})
    return list(names or dict.fromkeys(name for each in records for name in each["data"]))[:5]


def _unsure(
    job: Mapping[str, Any], body: Mapping[str, Any], records: Sequence[Mapping[str, Any]]
) -> tuple[int, int] | None:
    """The number of values shown that are unsure, and of all of them, where an example would help:
    it is for other pages than its own."""
    values = sum(value is not None for each in records for value in each["data"].values())
    unsure = sum(len({pointer.split("/")[1] for pointer in each["unsure"]}) for each in records)
    helps = job["progress"]["pages_found"] > 1 and not body.get("examples")
    return (unsure, values) if helps and unsure > _MUCH * values else None


def _chosen(
    job: Mapping[str, Any], schema: Mapping[str, Any] | None, records: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The record that the address names, or the first; its fields; the chosen one of them."""
    wanted = request.args.get("record")
    places = [at for at, each in enumerate(records) if each["id"] == wanted]
    at = places[0] if places else 0
    if not records:
        return {"record": None, "fields": [], "field": None, "at": 0, "strayed": False}
    record = records[at]
    snapshot = next((each["snapshot"] for each in record["provenance"]), None)
    fields = provenance.fields_of(record, schema, _text(snapshot), _compared(job, record["id"]))
    return {
        "record": record,
        "snapshot": snapshot,
        "fields": fields,
        "field": _chosen_field(fields),
        "at": at,
        "quote_query": _quote_query(record["id"], _chosen_field(fields)),
        "strayed": wanted is not None and not places,
        "inputs": corrections.fields(schema, record["data"]),
    }


@bp.post("/extractions/<job_id>")
@signed_in
@shown_again(show)
def correct(job_id: str) -> Any:
    """Run a job again, as a new one that learns from a corrected record."""
    body = call("getJobRequest", job_id=job_id)["request"]
    corrected = corrections.request_body(body, request.form)
    job = call("createJob", corrected, once=request.form.get("key"))
    return redirect(f"/extractions/{job['id']}", 303)


def _quote_query(record_id: str, field: FieldView | None) -> str:
    """Returns the query that names the quote of a field to the page that shows where it stands."""
    given = {name: request.args[name] for name in ("page", "run", "other") if name in request.args}
    return urlencode({**given, "record": record_id, "field": field.pointer if field else ""})


def _text(snapshot_id: str | None) -> str | None:
    """Returns the text that the record was read from; None when it is not stored any more."""
    if snapshot_id is None:
        return None
    try:
        return str(call("getSnapshot", snapshot_id=snapshot_id)["text"])
    except SnapshotNotFound:
        return None


def _compared(job: Mapping[str, Any], record_id: str) -> list[dict[str, Any]]:
    """The fields of a record that a second extraction read, if it read one of them differently."""
    failures = (job["validation"] or {}).get("failures", ())
    return [field for each in failures if each["record"] == record_id for field in each["fields"]]


def _chosen_field(fields: Sequence[FieldView]) -> FieldView | None:
    wanted = request.args.get("field")
    named = [each for each in fields if each.pointer == wanted]
    return next(iter([*named, *(each for each in fields if each.sources), *fields]), None)


def _verification() -> dict[str, Any] | None:
    if (id := request.args.get("verification")) is None:
        return None
    found: dict[str, Any] = call("getVerification", verification_id=id)
    return found


@bp.get("/extractions/<job_id>/pages")
@signed_in
def read_pages(job_id: str) -> Response:
    job = call("getJob", job_id=job_id)
    wanted = {name: request.args.get(name) for name in ("run", "outcome", "cursor")}
    page = call("listPages", query={**wanted, "limit": PAGES}, job_id=job_id)
    return render(
        "extractions/pages.html",
        live="work",
        final=job["status"] in ENDED,
        **job_view.of(job),
        page=page,
    )


@bp.get("/extractions/<job_id>/request")
@signed_in
def requested(job_id: str) -> Response:
    job = call("getJob", job_id=job_id)
    body = call("getJobRequest", job_id=job_id)["request"]
    return render(
        "extractions/request.html",
        live="work",
        final=job["status"] in ENDED,
        **job_view.of(job),
        snippets=_snippets(body),
    )


def _snippets(body: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The body as a file, and how it is sent."""
    return [
        ("job.json", "json", schema_form.written(body)),
        ("curl", "sh", CURL.format(path=url_for("jobs.create"))),
        ("Python", "python", PYTHON),
    ]


@bp.get("/extractions/<job:job_id>/records.<any(csv,ndjson,json):form>")
@signed_in
def export_records(job_id: UUID, form: str) -> Response:
    account_id, args = caller().account_id, request.args
    with db.reading() as reader:
        job = service.find(reader, account_id, job_id)
        export = RecordExport(
            account_id=account_id,
            job_id=job.id,
            run_id=service.run_of(reader, job, args.get("run")),
        )
    plans = service.plans(job)
    if form == "csv":
        quoted = "provenance" in args
        chunks = table(export, plans, provenance=quoted, bom=False)
    else:
        lines = ndjson(export, plans)
        chunks = lines if form == "ndjson" else tables.listed(lines)
    return tables.download(f"records-{job_id}", chunks, form)


@bp.get("/extractions/<job_id>/snapshots/<snapshot_id>/view")
@signed_in
def stored_page(job_id: str, snapshot_id: str) -> Response:
    """The stored page of a value, its quote marked; it is shown in a frame of the job's page."""
    snapshot = call("getSnapshot", snapshot_id=snapshot_id)
    quote = cited_quotes.quote(job_id, request.args)
    shown = {name: value for name, value in request.args.items() if name not in ("frame", "as")}
    base = "/monitors" if "change" in shown else "/extractions"
    return stored_pages.view(snapshot, quote, back=f"{base}/{job_id}?{urlencode(shown)}")
