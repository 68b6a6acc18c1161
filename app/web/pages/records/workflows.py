"""Workflows: jobs of steps that need one another, as a graph."""

from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.http.access import signed_in
from app.web.charts import step_graph
from app.web.frame import tables, times
from app.web.frame.operations import call, page_of
from app.web.frame.rendering import render
from app.web.pages.records import job_times, job_view
from app.web.pages.records.job_view import ENDED

bp = Blueprint("workflow_pages", __name__)

_COLUMNS: Final = (
    "id", "type", "state", "needs", "items_in", "items_out", "tries", "because", "started_at",
    "completed_at",
)  # fmt: skip


@bp.get("/workflows")
@signed_in
def index() -> Response:
    status = request.args.get("status")
    page = page_of("listJobs", {"type": "workflow", "status": status})
    return render("workflows/list.html", live="rows", page=page, filtered=status is not None)


@bp.get("/workflows/<job_id>")
@signed_in
def show(job_id: str) -> Any:
    """The steps as a graph with their states, and the same as a table."""
    job = call("getJob", job_id=job_id)
    if job["type"] != "workflow":
        return redirect(f"/extractions/{job_id}", 303)
    return render(
        "workflows/show.html",
        live="work",
        final=job["status"] in ENDED,
        **job_view.of(job),
        **times.durations(job["steps"] or []),
        timeline=job_times.of_steps(job["steps"] or []),
        graph=step_graph.graph(job["steps"]) if job["steps"] else None,
    )


@bp.get("/workflows/<job_id>/steps.<any(csv,json):form>")
@signed_in
def export_steps(job_id: str, form: str) -> Response:
    job = call("getJob", job_id=job_id)
    steps = ({**step, "needs": ", ".join(step["needs"])} for step in job["steps"] or [])
    return tables.export_items(f"steps-{job_id}", _COLUMNS, steps, form)
