"""Alerts on the page of what they are about: "Tell me", and a page for a form that was refused."""

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from flask import Blueprint, current_app, redirect, request
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.errors import Conflict, Invalid, NotFound, RateLimited
from app.core.http.access import caller, signed_in
from app.core.ids import Noun
from app.domains.queue.alerts.conditions import ABOUT
from app.domains.queue.webhooks import store as webhook_store
from app.web.frame.operations import call
from app.web.frame.rendering import render

bp = Blueprint("alert_pages", __name__)

EMAIL: Final = "email"
_MOST: Final = 100
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
    """Of a thing that the viewer has."""
    found = call("listAlerts", query={about: id, "limit": _MOST})
    told = [ids.lookup(Noun.WEBHOOK, each["webhook"] or "") for each in found["alerts"]]
    with db.reading() as reader:
        webhooks = webhook_store.own(reader, caller().account_id, also=told)
    urls = {ids.public(Noun.WEBHOOK, each.id): each.url for each in webhooks}
    own = [ids.public(Noun.WEBHOOK, each.id) for each in webhooks if each.job_id is None]
    settings: Settings = current_app.extensions["settings"]
    email = [(EMAIL, "E-mail")] if settings.smtp_url else []
    return TellMe(
        about=about,
        id=id,
        alerts=[{**each, "to": _receiver(each, urls)} for each in found["alerts"]],
        channels=[*email, *((id, urls[id]) for id in own)],
        sends_email=bool(email),
        conditions=CONDITIONS[about],
        threshold_hint=THRESHOLDS[about],
        page=_PAGES[about] + id,
    )


def _receiver(alert: Mapping[str, Any], urls: Mapping[str, str]) -> str:
    return str(alert["email"] or urls.get(alert["webhook"], alert["webhook"]))


@bp.post("/alerts")
@signed_in
def create() -> Response:
    """Back to the thing; a refused form is shown on a page of its own."""
    form = request.form
    about, id = form.get("about", ""), form.get("id", "")
    if about not in ABOUT or not id:
        raise NotFound
    try:
        call("createAlert", _body(form), once=form.get("key"))
    except Invalid as error:
        return _refused(about, id, error)
    except (Conflict, RateLimited) as error:
        problem = {"field": "/email", "problem": str(error)}
        return _refused(about, id, Invalid(details=[problem]))
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


def _refused(about: str, id: str, error: Invalid) -> Response:
    if any(detail["field"].strip("/") == about for detail in error.details):
        raise NotFound from None
    return render("alerts/new.html", errors=error, tell_me=of(about, id))


@bp.post("/alerts/<string:alert_id>/delete")
@signed_in
def delete(alert_id: str) -> Response:
    """Stop it; back to the thing."""
    alert = call("getAlert", alert_id=alert_id)["alert"]
    call("deleteAlert", alert_id=alert_id)
    about = next(name for name in ABOUT if alert[name])
    return redirect(f"{_PAGES[about]}{alert[about]}#alerts", 303)
