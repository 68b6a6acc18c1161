"""The actions on jobs on their pages: start, run again, cancel, erase, check a quote."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Invalid, NotFound
from app.core.http.access import signed_in
from app.web.citations import cited_quotes
from app.web.frame.operations import call
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again
from app.web.pages.records import job_view, sample_shop
from app.web.pages.records.forms import (
    field_rows,
    job_forms,
    page_fields,
    schedules,
    schema_form,
    step_rows,
)
from app.web.pages.records.forms.schema_form import SchemaView
from app.web.pages.records.forms.sources import SOURCES

bp = Blueprint("job_actions", __name__)

LISTS: Final = {
    "extraction": "/extractions",
    "monitoring": "/monitors",
    "workflow": "/workflows",
}
_BODIES: Final = {
    "extractions": job_forms.extraction,
    "monitors": job_forms.monitor,
    "workflows": job_forms.workflow,
}
_FIRST: Final[Mapping[str, Mapping[str, Any]]] = {
    "extractions": {"source": "urls", "max_pages": 100},
    "monitors": {"source": "urls", **schedules.FIRST},
    "workflows": {},
}


@bp.get("/extractions/new", defaults={"noun": "extractions"})
@bp.get("/monitors/new", defaults={"noun": "monitors"})
@bp.get("/workflows/new", defaults={"noun": "workflows"})
@signed_in
def new(noun: str) -> Any:
    """The form; empty, or with the request of a job that is to be changed and run, or with the
    fields of a page. Extractions begin with the address of one.
    """
    if noun == "extractions" and not {"from", "template", "page"} & request.args.keys():
        return _address()
    if noun == "extractions" and "page" in request.args:
        return _fields_of_page(request.args["page"])
    return _form(noun)


def _address(errors: Invalid | None = None) -> Response:
    address = request.args.get("address", "")
    return render("extractions/address.html", errors=errors, address=address)


def _fields_of_page(job_id: str) -> Any:
    """The form with the fields that a page offers, once they are read."""
    try:
        found = page_fields.of(job_id)
    except NotFound:
        return redirect("/extractions/new", 303)
    text = schema_form.written(found.schema)
    first = {**_FIRST["extractions"], "address": found.url}
    return render(
        "extractions/fields.html",
        live="found",
        final=not found.waits,
        found=found,
        failures=job_view.failures(found.job),
        schema_view=SchemaView(found.rows, text, text, found.url),
        former=None,
        **_choices(job_forms.Values(first)),
    )


def _choices(values: job_forms.Values) -> dict[str, Any]:
    return {
        "values": values,
        "sources": SOURCES,
        "templates": job_forms.TEMPLATES,
        "types": field_rows.TYPES,
        "schedules": schedules,
    }


def _at_fields(error: Invalid) -> Invalid:
    return job_forms.at_fields(error, request.form)


@bp.post("/extractions/fields")
@signed_in
@shown_again(_address, told=_at_fields)
def read_fields() -> Any:
    address = request.form.get("address", "").strip()
    job_id = page_fields.begin(address, request.form.get("key"))
    return redirect(f"/extractions/new?page={job_id}", 303)


@bp.post("/extractions/fields/look")
@signed_in
def look_for_fields() -> Response:
    """Look for fields in the page that was read, and go on to them."""
    address = f"/extractions/new?page={page_fields.look(request.form.get('page', ''))}"
    if request.headers.get("HX-Request"):
        return Response(status=204, headers={"HX-Redirect": address})
    return redirect(address, 303)


def _form(noun: str, errors: Invalid | None = None, *, kept: bool = False) -> Response:
    former = request.args.get("from")
    if former:
        values = job_forms.of(call("getJobRequest", job_id=former)["request"])
    else:
        values = job_forms.Values(_first(noun))
    sent = kept or errors is not None
    view = schema_form.again(request.form) if sent else schema_form.view(values["schema"])
    steps = step_rows.again(request.form) if sent else step_rows.view(values["steps"])
    return render(
        f"{noun}/new.html",
        errors=errors,
        kept=kept,
        former=former,
        schema_view=view,
        steps_view=steps,
        step_rows=step_rows,
        next_runs=schedules.next_runs(request.form if sent else values.values),
        **_choices(values),
    )


def _first(noun: str) -> dict[str, Any]:
    first: dict[str, Any] = {**_FIRST[noun], "address": request.args.get("address", "")}
    if noun == "extractions":
        name = request.args.get("template", "")
        first["schema"] = sample_shop.schema_text() if name == "lamp" else job_forms.template(name)
    if noun == "monitors":
        first |= {name: request.args[name] for name in schedules.FIELDS if name in request.args}
    if noun == "workflows":
        first["steps"] = job_forms.workflow_template()
    return first


@bp.post("/extractions/new", defaults={"noun": "extractions"})
@bp.post("/monitors/new", defaults={"noun": "monitors"})
@bp.post("/workflows/new", defaults={"noun": "workflows"})
@signed_in
def revise(noun: str) -> Response:
    """The form again, with what was sent: more rows or steps, and both views the same."""
    return _form(noun, kept=True)


@bp.post("/extractions", defaults={"noun": "extractions"})
@bp.post("/monitors", defaults={"noun": "monitors"})
@bp.post("/workflows", defaults={"noun": "workflows"})
@signed_in
@shown_again(_form, told=_at_fields)
def create(noun: str) -> Any:
    """Start a job, and show it; what the API refuses is said at its field."""
    form = request.form
    job = call("createJob", _BODIES[noun](form, _edited()), once=form.get("key"))
    if form.get("page"):
        with suppress(NotFound):
            page_fields.forget(form["page"])
    return redirect(f"/{noun}/{job['id']}", 303)


def _edited() -> Mapping[str, Any]:
    """Returns the request of the job that was edited, if the form began with one."""
    former = request.args.get("from")
    return call("getJobRequest", job_id=former)["request"] if former else {}


@bp.post("/extractions/sample")
@signed_in
def create_sample() -> Any:
    if not sample_shop.can_be_read():
        raise NotFound
    job = call("createJob", sample_shop.request_body(), once=request.form.get("key"))
    return redirect(f"/extractions/{job['id']}", 303)


@bp.post("/extractions/<job_id>/rerun")
@signed_in
def rerun(job_id: str) -> Any:
    job = call("rerunJob", job_id=job_id, once=request.form.get("key"))
    return redirect(f"{LISTS[job['type']]}/{job['id']}", 303)


@bp.post("/extractions/<job_id>/cancel")
@signed_in
def cancel(job_id: str) -> Any:
    job = call("cancelJob", job_id=job_id)
    return redirect(f"{LISTS[job['type']]}/{job_id}", 303)


@bp.post("/monitors/<job_id>/pause", defaults={"operation": "pauseJob"})
@bp.post("/monitors/<job_id>/resume", defaults={"operation": "resumeJob"})
@signed_in
def pause(job_id: str, operation: str) -> Any:
    call(operation, job_id=job_id)
    return redirect(f"/monitors/{job_id}", 303)


@bp.post("/extractions/<job_id>/delete")
@signed_in
def delete(job_id: str) -> Any:
    job = call("getJob", job_id=job_id)
    call("deleteJob", job_id=job_id)
    return redirect(LISTS[job["type"]], 303)


@bp.post("/extractions/<job_id>/verify")
@signed_in
def verify(job_id: str) -> Any:
    """Check the quote of a field against the stored text and against what its page says now."""
    address = request.form
    records = cited_quotes.records(job_id, address)["records"]
    source = next(
        (
            each
            for record in records
            if record["id"] == address.get("record")
            for each in cited_quotes.sources(record["provenance"], address.get("field", ""))
        ),
        None,
    )
    if source is None:
        raise NotFound
    body = {name: source[name] for name in ("snapshot", "quote", "start")}
    found = call("verifyQuote", body, once=address.get("key"))
    shown = {
        name: address[name] for name in ("run", "page", "record", "field") if address.get(name)
    }
    query = urlencode({**shown, "verification": found["id"]})
    return redirect(f"/extractions/{job_id}?{query}#verification", 303)
