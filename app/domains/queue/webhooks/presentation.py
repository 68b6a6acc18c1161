"""Webhooks and deliveries as their owner sees them."""

from typing import Any

from app.core import ids
from app.core.ids import Noun
from app.domains.queue.webhooks import service
from app.domains.queue.webhooks.store import Webhook


def webhook(row: Webhook) -> dict[str, Any]:
    """As the schema Webhook describes it."""
    return {
        "id": row.id,
        "url": row.url,
        "events": row.events,
        "job": ids.public(Noun.JOB, row.job_id) if row.job_id else None,
        "enabled": row.enabled,
        "disabled_at": row.disabled_at,
        "disabled_reason": row.disabled_reason,
        "failing_since": row.failing_since,
        "paused_until": row.paused_until,
        "former_secret_until": row.former_until,
        "created_at": row.created_at,
    }


def new(made: service.New) -> dict[str, Any]:
    """With the secret, once."""
    return {"webhook": webhook(made.webhook), "secret": made.secret}


def delivery(delivered: service.DeliveryHistory) -> dict[str, Any]:
    """As the schemas Delivery and DeliveryListed describe it."""
    row = delivered.delivery
    presented = {
        "id": row.id,
        "event": row.event_id,
        "type": row.type,
        "status": row.status,
        "error": row.error,
        "redelivery_of": row.redelivery_of,
        "created_at": row.created_at,
        "next_at": row.next_at,
        "attempts": delivered.attempts,
    }
    if row.body is not None:
        presented["body"] = bytes(row.body).decode()
    return presented
