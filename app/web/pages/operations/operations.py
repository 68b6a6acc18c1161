"""Operations: queues, workers and the jobs of all accounts. For operators."""

from datetime import UTC, datetime
from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Invalid
from app.core.http.access import operator_only
from app.core.http.fields import rfc3339
from app.web.frame import tables
from app.web.frame.operations import call, every, page_of
from app.web.frame.rendering import render, viewer
from app.web.frame.times import parsed
from app.web.pages.operations import alerts, queue_charts

bp = Blueprint("operations_pages", __name__)

WINDOWS: Final = ("1h", "6h", "24h", "7d", "30d")
FILTER: Final = ("state", "kind", "queue", "account", "error_code", "since", "until")
OPEN_STATES: Final = ("pending", "queued", "dispatched", "running", "waiting")
STATES: Final = ("open", *OPEN_STATES, "succeeded", "failed", "cancelled")
ENDED: Final = frozenset({"succeeded", "failed", "cancelled"})
COLUMNS: Final = (
    "id", "account", "queue", "kind", "state", "attempt", "worker", "error_code", "created_at",
    "started_at", "finished_at",
)  # fmt: skip


@bp.app_template_global("took")
def took(task: dict[str, Any]) -> float | None:
    """From the first beginning of a job to its end, in seconds."""
    if not (task["started_at"] and task["finished_at"]):
        return None
    return (parsed(task["finished_at"]) - parsed(task["started_at"])).total_seconds()


def _window() -> str:
    wanted = request.args.get("window", "1h")
    return wanted if wanted in WINDOWS else "1h"


@bp.get("/ops")
@operator_only
def overview() -> Response:
    """The state of the installation. Its charts are asked for again less often than its tables."""
    if request.args.get("part") == "charts":
        return render("operations/overview.html", live="charts", head=False, **_charts())
    window = _window()
    context = {
        "overview": call("listQueues"),
        "workers": call("listWorkers")["workers"],
        "failures": call("listFailures", query={"window": window}),
        "actions": call("listOperatorActions", query={"limit": 10})["actions"],
        "window": window,
    }
    if "HX-Request" not in request.headers:
        context |= _charts()
    return render("operations/overview.html", live="now", **context)


def _charts() -> dict[str, Any]:
    known = call("listQueueSamples", query={"window": _window()})
    if not known["histories"]:
        return {"charts": [], "windows": WINDOWS, "window": _window()}
    zone, step = viewer().zone, known["step_seconds"]
    histories = known["histories"]
    charts = [queue_charts.depths(histories, zone), queue_charts.ended(histories, step, zone)]
    return {"charts": charts, "windows": WINDOWS, "window": _window()}


@bp.get("/ops/queues/<string:name>")
@operator_only
def queue(name: str) -> Response:
    window = _window()
    found = call("getQueue", queue_name=name, query={"window": window})
    samples, zone = found["samples"], viewer().zone
    return render(
        "operations/queue.html",
        queue=found["queue"],
        tell_me=alerts.of("queue", name),
        window=window,
        windows=WINDOWS,
        charts=[
            queue_charts.of_queue(samples, zone),
            queue_charts.oldest(samples, zone, call("listQueues")["target_seconds"]),
            queue_charts.ended_of(samples, found["step_seconds"], zone),
        ],
        failures=call("listFailures", query={"window": window, "queue": name}),
        workers=[w for w in call("listWorkers")["workers"] if name in w["queues"]],
    )


@bp.post("/ops/queues/<string:name>/<any(pause, resume):what>")
@operator_only
def switch(name: str, what: str) -> Response:
    call(f"{what}Queue", queue_name=name)
    return redirect("/ops", 303)


@bp.post("/ops/workers/<string:id>/<any(drain, forget):what>")
@operator_only
def end_worker(id: str, what: str) -> Response:
    call(f"{what}Worker", worker_id=id)
    return redirect("/ops#workers", 303)


def _filter() -> dict[str, str]:
    """Returns the filter that the address gives, and nothing that is empty."""
    given = {name: request.values.get(name, "").strip() for name in FILTER}
    return {name: text for name, text in given.items() if text}


@bp.get("/ops/jobs")
@operator_only
def jobs() -> Response:
    wanted = _filter()
    any_state = {name: text for name, text in wanted.items() if name != "state"}
    try:
        envelope = page_of("listTasks", wanted)
        counts = call("countTasks", query=any_state)
    except Invalid as error:
        return render("operations/jobs.html", errors=error, wanted=wanted, envelope=None)
    by_state = counts["by_state"]
    by_state["open"] = sum(by_state.get(state, 0) for state in OPEN_STATES)
    states = [(None, counts["total"]), *((state, by_state.get(state, 0)) for state in STATES)]
    return render(
        "operations/jobs.html",
        live="rows",
        envelope=envelope,
        counts=counts,
        states=states,
        matching=dict(states)[wanted.get("state")],
        wanted=wanted,
    )


@bp.get("/ops/jobs.<any(csv, json):form>")
@operator_only
def export_jobs(form: str) -> Response:
    tasks = every("listTasks", "tasks", _filter())
    rows = ({**task, "error_code": (task["error"] or {}).get("code")} for task in tasks)
    return tables.export_items("jobs", COLUMNS, rows, form)


@bp.get("/ops/jobs/<string:id>")
@operator_only
def job(id: str) -> Response:
    task = call("getTask", task_id=id)["task"]
    return render("operations/job.html", live="now", final=task["state"] in ENDED, task=task)


@bp.post("/ops/jobs/<string:id>/<any(retry, cancel):what>")
@operator_only
def act(id: str, what: str) -> Response:
    task = call(f"{what}Task", task_id=id)["task"]
    return redirect(f"/ops/jobs/{task['id']}", 303)


@bp.get("/ops/bulk")
@operator_only
def bulk_list() -> Response:
    return render("operations/bulk_list.html", envelope=page_of("listBulkActions"))


@bp.get("/ops/bulk/new")
@operator_only
def confirm_bulk() -> Response:
    """To how many jobs it would be done, before it is. Jobs of later are not touched."""
    action = "cancel" if request.args.get("action") == "cancel" else "retry"
    wanted = _filter()
    if action == "retry":
        wanted["state"] = "failed"
    wanted.setdefault("state", "open")
    wanted.setdefault("until", rfc3339(datetime.now(UTC)) or "")
    counts = call("countTasks", query=wanted)
    number = counts["retriable" if action == "retry" else "cancellable"]
    return render(
        "operations/bulk_new.html", action=action, wanted=wanted, counts=counts, number=number
    )


@bp.post("/ops/bulk")
@operator_only
def start_bulk() -> Response:
    """Promise it; its page says how far it got."""
    body = {"action": request.form.get("action", ""), "filter": _filter()}
    made = call("createBulkAction", body, once=request.form.get("key"))
    return redirect(f"/ops/bulk/{made['bulk']['id']}", 303)


@bp.get("/ops/bulk/<string:id>")
@operator_only
def bulk(id: str) -> Response:
    found = call("getBulkAction", bulk_id=id)["bulk"]
    return render("operations/bulk.html", live="now", final=found["state"] in ENDED, bulk=found)
