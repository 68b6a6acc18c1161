"""/v1/webhooks: who is told what happens, and what became of each message."""

from typing import Any

from flask import current_app, url_for

from app.core import db
from app.core.config.settings import Settings
from app.core.errors import Overloaded
from app.core.http import Blueprint, caller, raises, scoped
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.queue.webhooks import presentation, schemas, service
from app.domains.queue.webhooks.outbox import KIND
from app.domains.queue.webhooks.service import DeliveryNotFound, WebhookDisabled, WebhookNotFound
from app.domains.queue.webhooks.store import Webhook
from app.domains.queue.webhooks.terms import DeliveryTerms

bp = Blueprint(
    "webhooks",
    __name__,
    url_prefix="/v1/webhooks",
    description="Signed messages to your own address when something happens.",
    preview=True,
)

RETRY_SECONDS = 1
Reply = tuple[dict[str, Any], int, dict[str, str]]


def _terms() -> DeliveryTerms:
    settings: Settings = current_app.extensions["settings"]
    return DeliveryTerms.of(settings)


@bp.get("")
@scoped("jobs")
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.WebhooksOut)
@bp.doc(operationId="listWebhooks")
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """Your webhooks, newest first; never their secrets."""
    with db.reading() as reader:
        rows = service.recent(reader, caller().account_id, wanted.get("cursor"), wanted["limit"])
    return page("webhooks", rows, wanted["limit"], presentation.webhook)


@bp.post("")
@scoped("jobs")
@raises(service.TooManyWebhooks)
@bp.arguments(schemas.WebhookIn)
@bp.response(201, schemas.NewWebhookOut)
@bp.doc(operationId="createWebhook")
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Add an address that is told; the secret that signs is in this answer only."""

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.create(tx, caller().account_id, body["url"], body["events"], _terms())
        return _plain(schemas.NewWebhookOut, presentation.new(made))

    return once(body, make)


@bp.get("/<string:webhook_id>")
@scoped("jobs")
@raises(WebhookNotFound)
@bp.response(200, schemas.WebhookOut)
@bp.doc(operationId="getWebhook")
def show(webhook_id: str) -> dict[str, Any]:
    """A webhook: what it wants, and whether it is disabled, since when and why."""
    with db.reading() as reader:
        return {"webhook": presentation.webhook(_find(reader, webhook_id))}


def _find(reader: db.Reader, webhook_id: str) -> Webhook:
    return service.find(reader, caller().account_id, webhook_id)


@bp.patch("/<string:webhook_id>")
@scoped("jobs")
@raises(WebhookNotFound)
@bp.arguments(schemas.WebhookChangeSchema)
@bp.response(200, schemas.WebhookOut)
@bp.doc(operationId="updateWebhook")
def update(body: dict[str, Any], webhook_id: str) -> dict[str, Any]:
    """Change the address or the events, disable it or enable it again."""
    with db.transaction() as tx:
        changed = service.change(tx, caller().account_id, webhook_id, body, _terms())
    return {"webhook": presentation.webhook(changed)}


@bp.delete("/<string:webhook_id>")
@scoped("jobs")
@raises(WebhookNotFound)
@bp.response(204)
@bp.doc(operationId="deleteWebhook")
def delete(webhook_id: str) -> None:
    """Remove a webhook and its deliveries; nothing more is sent to it."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, webhook_id)


@bp.post("/<string:webhook_id>/roll")
@scoped("jobs")
@raises(WebhookNotFound)
@bp.arguments(schemas.RollSecretIn)
@bp.response(201, schemas.NewWebhookOut)
@bp.doc(operationId="rollWebhookSecret")
def roll(body: dict[str, Any], webhook_id: str) -> dict[str, Any]:
    """A new secret, in this answer only; until the overlap ends the former one signs as well."""

    def make(tx: db.Tx) -> dict[str, Any]:
        hours = body["overlap_hours"]
        made = service.roll(tx, caller().account_id, webhook_id, hours, _terms())
        return _plain(schemas.NewWebhookOut, presentation.new(made))

    return once(body, make)


@bp.post("/<string:webhook_id>/test")
@scoped("jobs")
@raises(WebhookNotFound, WebhookDisabled)
@bp.response(202, schemas.DeliveryOut)
@bp.doc(operationId="testWebhook")
def test(webhook_id: str) -> Reply:
    """Send an event `webhook.test` to this address."""

    def make(tx: db.Tx) -> dict[str, Any]:
        _admit(tx)
        return _promised(service.test(tx, caller().account_id, webhook_id))

    return _accepted(webhook_id, once(None, make))


@bp.get("/<string:webhook_id>/deliveries")
@scoped("jobs")
@raises(WebhookNotFound)
@bp.arguments(schemas.DeliveriesIn, location="query")
@bp.response(200, schemas.DeliveriesOut)
@bp.doc(operationId="listWebhookDeliveries")
def deliveries(wanted: dict[str, Any], webhook_id: str) -> dict[str, Any]:
    """What was sent in the last 30 days, newest first, and what was answered."""
    status, before, limit = wanted.get("status"), wanted.get("cursor"), wanted["limit"]
    with db.reading() as reader:
        rows = service.deliveries(reader, caller().account_id, webhook_id, status, before, limit)
    return page("deliveries", rows, limit, presentation.delivery)


@bp.get("/<string:webhook_id>/deliveries/<string:delivery_id>")
@scoped("jobs")
@raises(WebhookNotFound, DeliveryNotFound)
@bp.response(200, schemas.DeliveryOut)
@bp.doc(operationId="getWebhookDelivery")
def show_delivery(webhook_id: str, delivery_id: str) -> dict[str, Any]:
    """One delivery with its attempts and its body."""
    with db.reading() as reader:
        row = service.delivery(reader, caller().account_id, webhook_id, delivery_id)
    return {"delivery": presentation.delivery(row)}


@bp.post("/<string:webhook_id>/deliveries/<string:delivery_id>/redeliver")
@scoped("jobs")
@raises(WebhookNotFound, DeliveryNotFound, WebhookDisabled)
@bp.response(202, schemas.DeliveryOut)
@bp.doc(operationId="redeliverWebhookDelivery")
def redeliver(webhook_id: str, delivery_id: str) -> Reply:
    """Send the same message again, with the same `webhook-id`, as a new delivery."""

    def make(tx: db.Tx) -> dict[str, Any]:
        _admit(tx)
        again = service.redeliver(tx, caller().account_id, webhook_id, delivery_id)
        return _promised(again)

    return _accepted(webhook_id, once(None, make))


@bp.post("/<string:webhook_id>/redeliver")
@scoped("jobs")
@raises(WebhookNotFound, WebhookDisabled, Overloaded)
@bp.arguments(schemas.RedeliverIn)
@bp.response(202, schemas.RedeliveredOut)
@bp.doc(operationId="redeliverWebhook")
def redeliver_since(body: dict[str, Any], webhook_id: str) -> Reply:
    """Send again what failed since a time and was not sent again since; at most 1,000."""

    def make(tx: db.Tx) -> dict[str, Any]:
        _admit(tx)
        again = service.redeliver_since(tx, caller().account_id, webhook_id, body["since"])
        return _plain(schemas.RedeliveredOut, again)

    answer = once(body, make)
    location = url_for("webhooks.deliveries", webhook_id=webhook_id)
    return answer, 202, {"Location": location, "Retry-After": str(RETRY_SECONDS)}


def _admit(tx: db.Tx) -> None:
    current_app.extensions["backpressure"].admit(tx, KIND, caller().account_id)


def _promised(delivered: service.DeliveryHistory) -> dict[str, Any]:
    return _plain(schemas.DeliveryOut, {"delivery": presentation.delivery(delivered)})


def _plain(schema: Any, made: Any) -> dict[str, Any]:
    """Returns what the schema dumps, in JSON's types."""
    dumped: dict[str, Any] = schema().dump(made)
    return dumped


def _accepted(webhook_id: str, answer: dict[str, Any]) -> Reply:
    delivery_id = answer["delivery"]["id"]
    location = url_for("webhooks.show_delivery", webhook_id=webhook_id, delivery_id=delivery_id)
    return answer, 202, {"Location": location, "Retry-After": str(RETRY_SECONDS)}
