"""/v1/alerts: a message when something crosses a threshold."""

from typing import Any
from uuid import UUID

from app.core import db, ids
from app.core.http import Blueprint, caller, current_settings, raises, scoped
from app.core.http.idempotency import once
from app.core.http.pagination import page
from app.core.ids import Noun
from app.domains.queue.alerts import presentation, schemas, service, store, things
from app.domains.queue.alerts.conditions import ABOUT, About
from app.domains.queue.alerts.mail.mails import KIND
from app.domains.queue.alerts.mail.terms import MailTerms
from app.domains.queue.alerts.service import AlertNotFound, AlertRequest
from app.domains.queue.jobs.admission.acceptance import admit

alerts = Blueprint(
    "alerts",
    __name__,
    url_prefix="/v1/alerts",
    description="Messages when something crosses a threshold.",
    preview=True,
)


@alerts.get("", operation="listAlerts")
@scoped("jobs")
@alerts.arguments(schemas.AlertsIn, location="query")
@alerts.response(200, schemas.AlertsOut)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your alerts, newest first: all, or those about one thing."""
    about_id = next(
        (_about_id(name, wanted[name]) for name in things.NOUNS if name in wanted), None
    )
    with db.reading() as reader:
        rows = store.page(
            reader,
            caller().account_id,
            about_id=about_id,
            queue=wanted.get("queue"),
            before=wanted.get("cursor"),
            most=wanted["limit"] + 1,
        )
    return page("alerts", rows, wanted["limit"], presentation.alert)


def _about_id(about: About, text: str) -> UUID:
    return ids.lookup(things.NOUNS[about], text)


@alerts.post("", operation="createAlert")
@scoped("jobs")
@raises(
    service.TooManyAlerts,
    service.EmailNotConfigured,
    service.EmailRefused,
    service.TooManyConfirmations,
)
@alerts.arguments(schemas.AlertIn)
@alerts.response(201, schemas.AlertOut)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Create an alert about a monitor, a campaign or a queue. An e-mail address that has not
    confirmed alerts of your account is asked to.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        asks, wanted = caller(), _request(body)
        if wanted.email is not None:
            admit(tx, KIND)
        operator, terms = asks.operator and asks.scopes is None, MailTerms.of(current_settings())
        alert = service.create(tx, asks.account_id, wanted, terms, operator=operator)
        return {"alert": presentation.alert(alert)}

    return once(body, make, schemas.AlertOut)


def _request(body: dict[str, Any]) -> AlertRequest:
    about: About = next(name for name in ABOUT if name in body)
    return AlertRequest(
        about=about,
        about_id=None if about == "queue" else _about_id(about, body[about]),
        queue=body.get("queue"),
        condition=body["condition"],
        threshold=body.get("threshold"),
        email=body.get("email"),
        webhook_id=ids.lookup(Noun.WEBHOOK, body["webhook"]) if "webhook" in body else None,
    )


@alerts.get("/<alrt:alert_id>", operation="getAlert")
@scoped("jobs")
@raises(AlertNotFound)
@alerts.response(200, schemas.AlertOut)
def show(alert_id: UUID) -> dict[str, Any]:
    """Get an alert with its state."""
    with db.reading() as reader:
        alert = service.find(reader, caller().account_id, alert_id)
    return {"alert": presentation.alert(alert)}


@alerts.delete("/<alrt:alert_id>", operation="deleteAlert")
@scoped("jobs")
@raises(AlertNotFound)
@alerts.response(204)
def delete(alert_id: UUID) -> None:
    """Delete an alert. Its messages that wait are not sent."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, alert_id)
