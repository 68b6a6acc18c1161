"""Watched pages: when they are read, and what changed since one last looked."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db
from app.core.http import caller
from app.core.http.access import signed_in
from app.domains.records.monitors import owner_views, view_store
from app.domains.records.monitors.view_store import MOST_COUNTED
from app.web.frame import tables, times
from app.web.frame.operations import call, page_of
from app.web.frame.rendering import render
from app.web.pages.operations import alerts
from app.web.pages.records import job_view, monitor_changes
from app.web.pages.records.forms import schedules
from app.web.pages.records.job_view import ENDED
from app.web.pages.records.monitor_changes import MOST_CHANGES, MOST_RUNS, RunChange

bp = Blueprint("monitor_pages", __name__)

LAYOUTS: Final = ("inline", "side")
_COLUMNS: Final = (
    "change", "page", "verdict", "field", "before", "before_quote", "after", "after_quote",
    "found_at",
)  # fmt: skip


@bp.get("/monitors")
@signed_in
def index() -> Response:
    """Newest first, each with what is new."""
    status = request.args.get("status")
    page = page_of("listJobs", {"type": "monitoring", "status": status})
    with db.reading() as reader:
        news = owner_views.news(reader, caller().account_id, [job["id"] for job in page["jobs"]])
    return render(
        "monitors/list.html",
        live="rows",
        page=page,
        news=news,
        most=MOST_COUNTED,
        schedules=schedules,
        filtered=status is not None,
    )


@bp.post("/monitors/seen")
@signed_in
def see_all() -> Any:
    """Nothing of what is there now is new any more."""
    with db.transaction() as tx:
        view_store.view(tx, caller().account_id)
    return redirect("/monitors", 303)


@bp.get("/monitors/<job_id>")
@signed_in
def show(job_id: str) -> Any:
    """The changes from one run to another; without numbers, since the last visit."""
    job = call("getJob", job_id=job_id)
    if job["type"] != "monitoring":
        return redirect(f"/extractions/{job_id}", 303)
    args = request.args
    envelope, shown = _versions(job_id)
    if not {"from", "to", "cursor"} & args.keys() and shown.until:
        return _since_last_look(job_id, shown)
    changes = list(islice(monitor_changes.changes(job_id, shown), MOST_CHANGES + 1))
    pages = monitor_changes.by_page(changes[:MOST_CHANGES])
    layout = args.get("layout")
    return render(
        "monitors/show.html",
        live="work",
        final=job["status"] in ENDED,
        tell_me=alerts.of("monitor", job_id),
        **job_view.of(job),
        envelope=envelope,
        shown=shown,
        most_changes=MOST_CHANGES if len(changes) > MOST_CHANGES else None,
        **times.durations(shown.runs),
        schedules=schedules,
        pages=pages,
        layout=layout if layout in LAYOUTS else LAYOUTS[0],
        texts=_texts(pages, everything=args.get("show") == "everything"),
        query_string=urlencode({"from": shown.since, "to": shown.until}),
        quote_query=lambda change, field, side: urlencode(
            {"change": change["id"], "run": change["run"], "field": field.pointer, "side": side}
        ),
    )


def _versions(job_id: str) -> tuple[Any, monitor_changes.Versions]:
    """The runs that are listed, and which of them are compared."""
    args = request.args
    query = {"limit": MOST_RUNS, "cursor": args.get("cursor")}
    envelope = call("listRuns", query=query, job_id=job_id)
    return envelope, monitor_changes.versions(envelope["runs"], args.get("from"), args.get("to"))


def _since_last_look(job_id: str, shown: monitor_changes.Versions) -> Any:
    """Written down before it is shown: the address then names both versions, and stays true."""
    account_id = caller().account_id
    with db.transaction() as tx:
        seen = owner_views.viewed(tx, account_id, job_id)
        owner_views.view(tx, account_id, job_id)
    since = shown.since if seen is None or seen >= shown.until else seen
    query = urlencode({"from": since, "to": shown.until, "seen": "" if seen is None else seen})
    return redirect(f"/monitors/{job_id}?{query}", 303)


def _texts(pages: list[monitor_changes.PageHistory], *, everything: bool) -> dict[str, Any]:
    """The lines of the page that the address names, where they are to be seen whole."""
    wanted = request.args.get("text")
    return {
        page.url: monitor_changes.whole_difference(page, everything=everything)
        for page in pages
        if page.url == wanted
    }


@bp.get("/monitors/<job_id>/changes.<any(csv,json):form>")
@signed_in
def export_changes(job_id: str, form: str) -> Response:
    """A file of every changed field between the two runs."""
    changes = monitor_changes.changes(job_id, _versions(job_id)[1])
    return tables.export(f"changes-{job_id}", _COLUMNS, _rows(changes), form)


def _rows(changes: Iterable[RunChange]) -> Iterator[list[Any]]:
    for change in changes:
        facts = change.facts
        begins = [facts["id"], facts["url"], facts["verdict"]]
        for field in change.fields:
            sides = [
                cell
                for side in (field.previous, field.current)
                for cell in (side and side.value, side and side.source and side.source["quote"])
            ]
            yield [*begins, field.name, *sides, facts["created_at"]]
        if not change.fields:
            yield [*begins, None, None, None, facts["difference"], None, facts["created_at"]]
