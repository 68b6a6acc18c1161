"""Alerts on the page of what they are about: "Tell me", and a page for a form that was refused."""

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Conflict, Invalid, NotFound, RateLimited
from app.core.http import current_settings
from app.core.http.access import signed_in
from app.domains.queue.alerts.conditions import ABOUT
from app.web.frame.operations import call, every
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again

bp = Blueprint("alert_pages", __name__)

EMAIL: Final = "email"
CONDITIONS: Final = {
    "monitor": [("changed", "A page has changed"), ("failing", "Runs in a row failed")],
    "campaign": [("budget_spent", "Its funds are spent to a share"), ("ended", "It has ended")],
    "queue": [("waiting", "More jobs wait"), ("oldest", "The oldest job waits longer")],
}
THRESHOLDS: Final = {
    "monitor": "Percent by which a number has to change (optional), or the number of failed runs",
    "campaign": "Percent; leave it empty for the end",
    "queue": "Number of jobs, or seconds",
}
_PAGES: Final = {"monitor": "/monitors/", "campaign": "/campaigns/", "queue": "/ops/queues/"}


class TellMe(NamedTuple):
    """The form about a thing, and its alerts; `channels` are pairs for a select."""

    about: str
    id: str
    alerts: list[dict[str, Any]]
    channels: list[tuple[str, str]]
    sends_email: bool
    conditions: list[tuple[str, str]]
    threshold_hint: str
    page: str


def of(about: str, id: str) -> TellMe:
    found = every("listAlerts", "alerts", {about: id})
    own = every("listWebhooks", "webhooks", {"of_jobs": "false"})
    urls = {each["id"]: each["url"] for each in own}
    settings = current_settings()
    email = [(EMAIL, "E-mail")] if settings.smtp_url else []
    return TellMe(
        about=about,
        id=id,
        alerts=[{**each, "to": _receiver(each, urls)} for each in found],
        channels=[*email, *urls.items()],
        sends_email=bool(email),
        conditions=CONDITIONS[about],
        threshold_hint=THRESHOLDS[about],
        page=_PAGES[about] + id,
    )


def _receiver(alert: Mapping[str, Any], urls: Mapping[str, str]) -> str:
    """The address that an alert is sent to, also of the webhook of a job."""
    if alert["email"]:
        return str(alert["email"])
    id = alert["webhook"]
    return urls.get(id) or str(call("getWebhook", webhook_id=id)["webhook"]["url"])


def _refused(errors: Invalid) -> Response:
    about, id = (request.form[name] for name in ("about", "id"))
    if any(detail["field"].strip("/") == about for detail in errors.details):
        raise NotFound from None
    return render("alerts/new.html", errors=errors, tell_me=of(about, id))


@bp.post("/alerts")
@signed_in
@shown_again(_refused, {Conflict: "email", RateLimited: "email"})
def create() -> Response:
    """Back to the thing; a refused form is shown on a page of its own."""
    form = request.form
    about, id = form.get("about", ""), form.get("id", "")
    if about not in ABOUT or not id:
        raise NotFound
    call("createAlert", _body(form), once=form.get("key"))
    return redirect(f"{_PAGES[about]}{id}#alerts", 303)


def _body(form: Mapping[str, str]) -> dict[str, Any]:
    channel = form.get("channel", EMAIL)
    to = {"email": form.get("email", "")} if channel == EMAIL else {"webhook": channel}
    body: dict[str, Any] = {form["about"]: form["id"], "condition": form.get("condition", ""), **to}
    if text := form.get("threshold", "").strip():
        body["threshold"] = _number(text)
    return body


def _number(text: str) -> float | str:
    """Leaves a text that is no number for the API to refuse."""
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


@bp.post("/alerts/<string:alert_id>/delete")
@signed_in
def delete(alert_id: str) -> Response:
    alert = call("getAlert", alert_id=alert_id)["alert"]
    call("deleteAlert", alert_id=alert_id)
    about = next(name for name in ABOUT if alert[name])
    return redirect(f"{_PAGES[about]}{alert[about]}#alerts", 303)
