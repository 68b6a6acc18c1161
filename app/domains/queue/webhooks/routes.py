"""/v1/webhooks: who is told what happens, and what became of each message."""

from typing import Any
from uuid import UUID

from flask import url_for

from app.core import db
from app.core.errors import Overloaded
from app.core.http import Blueprint, caller, current_settings, raises, scoped
from app.core.http.idempotency import once
from app.core.http.pagination import page
from app.domains.queue.jobs.admission.acceptance import Accepted, accepted, admit
from app.domains.queue.webhooks import presentation, schemas, service, store
from app.domains.queue.webhooks.outbox import KIND
from app.domains.queue.webhooks.service import DeliveryNotFound, WebhookDisabled, WebhookNotFound
from app.domains.queue.webhooks.terms import DeliveryTerms

webhooks = Blueprint(
    "webhooks",
    __name__,
    url_prefix="/v1/webhooks",
    description="Signed event notifications to your address.",
    preview=True,
)


def _terms() -> DeliveryTerms:
    return DeliveryTerms.of(current_settings())


@webhooks.get("", operation="listWebhooks")
@scoped("jobs")
@webhooks.arguments(schemas.WebhooksIn, location="query")
@webhooks.response(200, schemas.WebhooksOut)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your webhooks, newest first, without secrets."""
    with db.reading() as reader:
        rows = store.page(
            reader,
            caller().account_id,
            wanted.get("cursor"),
            wanted["limit"] + 1,
            of_jobs=wanted["of_jobs"],
        )
    return page("webhooks", rows, wanted["limit"], presentation.webhook)


@webhooks.post("", operation="createWebhook")
@scoped("jobs")
@raises(service.TooManyWebhooks)
@webhooks.arguments(schemas.WebhookIn)
@webhooks.response(201, schemas.NewWebhookOut)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Create a webhook. Only this response contains its signing secret."""

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.create(tx, caller().account_id, body["url"], body["events"], _terms())
        return presentation.new(made)

    return once(body, make, schemas.NewWebhookOut)


@webhooks.get("/<whk:webhook_id>", operation="getWebhook")
@scoped("jobs")
@raises(WebhookNotFound)
@webhooks.response(200, schemas.WebhookOut)
def show(webhook_id: UUID) -> dict[str, Any]:
    """Get a webhook with its events and state."""
    with db.reading() as reader:
        found = service.find(reader, caller().account_id, webhook_id)
    return {"webhook": presentation.webhook(found)}


@webhooks.patch("/<whk:webhook_id>", operation="updateWebhook")
@scoped("jobs")
@raises(WebhookNotFound)
@webhooks.arguments(schemas.WebhookChangeSchema)
@webhooks.response(200, schemas.WebhookOut)
def update(body: dict[str, Any], webhook_id: UUID) -> dict[str, Any]:
    """Change the address or events, or enable or disable the webhook."""
    with db.transaction() as tx:
        changed = service.change(tx, caller().account_id, webhook_id, body, _terms())
    return {"webhook": presentation.webhook(changed)}


@webhooks.delete("/<whk:webhook_id>", operation="deleteWebhook")
@scoped("jobs")
@raises(WebhookNotFound)
@webhooks.response(204)
def delete(webhook_id: UUID) -> None:
    """Delete a webhook and its deliveries."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, webhook_id)


@webhooks.post("/<whk:webhook_id>/roll", operation="rollWebhookSecret")
@scoped("jobs")
@raises(WebhookNotFound)
@webhooks.arguments(schemas.RollSecretIn)
@webhooks.response(201, schemas.NewWebhookOut)
def roll(body: dict[str, Any], webhook_id: UUID) -> dict[str, Any]:
    """Create a new secret. Only this response contains it. The previous secret also signs until the
    overlap ends.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        hours = body["overlap_hours"]
        made = service.roll(tx, caller().account_id, webhook_id, hours, _terms())
        return presentation.new(made)

    return once(body, make, schemas.NewWebhookOut)


@webhooks.post("/<whk:webhook_id>/test", operation="testWebhook")
@scoped("jobs")
@raises(WebhookNotFound, WebhookDisabled)
@webhooks.response(202, schemas.DeliveryOut)
def test(webhook_id: UUID) -> Accepted:
    """Send a `webhook.test` event to this address."""

    def make(tx: db.Tx) -> dict[str, Any]:
        admit(tx, KIND)
        sent = service.test(tx, caller().account_id, webhook_id)
        return {"delivery": presentation.delivery(sent)}

    return _accepted(webhook_id, once(None, make, schemas.DeliveryOut))


@webhooks.get("/<whk:webhook_id>/deliveries", operation="listWebhookDeliveries")
@scoped("jobs")
@raises(WebhookNotFound)
@webhooks.arguments(schemas.DeliveriesIn, location="query")
@webhooks.response(200, schemas.DeliveriesOut)
def deliveries(wanted: dict[str, Any], webhook_id: UUID) -> dict[str, Any]:
    """List deliveries of the last 30 days with responses, newest first."""
    status, before, limit = wanted.get("status"), wanted.get("cursor"), wanted["limit"]
    with db.reading() as reader:
        rows = service.deliveries(reader, caller().account_id, webhook_id, status, before, limit)
    return page("deliveries", rows, limit, presentation.delivery)


@webhooks.get("/<whk:webhook_id>/deliveries/<dlv:delivery_id>", operation="getWebhookDelivery")
@scoped("jobs")
@raises(WebhookNotFound, DeliveryNotFound)
@webhooks.response(200, schemas.DeliveryOut)
def show_delivery(webhook_id: UUID, delivery_id: UUID) -> dict[str, Any]:
    """Get a delivery with its attempts and body."""
    with db.reading() as reader:
        row = service.delivery(reader, caller().account_id, webhook_id, delivery_id)
    return {"delivery": presentation.delivery(row)}


@webhooks.post(
    "/<whk:webhook_id>/deliveries/<dlv:delivery_id>/redeliver", operation="redeliverWebhookDelivery"
)
@scoped("jobs")
@raises(WebhookNotFound, DeliveryNotFound, WebhookDisabled)
@webhooks.response(202, schemas.DeliveryOut)
def redeliver(webhook_id: UUID, delivery_id: UUID) -> Accepted:
    """Redeliver a message with the same `webhook-id` as a new delivery."""

    def make(tx: db.Tx) -> dict[str, Any]:
        admit(tx, KIND)
        again = service.redeliver(tx, caller().account_id, webhook_id, delivery_id)
        return {"delivery": presentation.delivery(again)}

    return _accepted(webhook_id, once(None, make, schemas.DeliveryOut))


@webhooks.post("/<whk:webhook_id>/redeliver", operation="redeliverWebhook")
@scoped("jobs")
@raises(WebhookNotFound, WebhookDisabled, Overloaded)
@webhooks.arguments(schemas.RedeliverIn)
@webhooks.response(202, schemas.RedeliveredOut)
def redeliver_since(body: dict[str, Any], webhook_id: UUID) -> Accepted:
    """Redeliver up to 1,000 messages that failed since a given time and were not redelivered yet,
    and those that wait for their next attempt.
    """

    def make(tx: db.Tx) -> service.RedeliveryCount:
        admit(tx, KIND)
        return service.redeliver_since(tx, caller().account_id, webhook_id, body["since"])

    answer = once(body, make, schemas.RedeliveredOut)
    return accepted(answer, url_for("webhooks.deliveries", webhook_id=webhook_id))


def _accepted(webhook_id: UUID, answer: dict[str, Any]) -> Accepted:
    shown = {"webhook_id": webhook_id, "delivery_id": answer["delivery"]["id"]}
    return accepted(answer, url_for("webhooks.show_delivery", **shown))
