"""Webhooks and deliveries as their owner sees them."""

from typing import Any

from marshmallow import missing

from app.core import ids
from app.core.http.fields import RowView
from app.core.ids import Noun
from app.domains.queue.webhooks import service
from app.domains.queue.webhooks.store import Webhook


def webhook(row: Webhook) -> RowView:
    job = ids.public(Noun.JOB, row.job_id) if row.job_id else None
    return RowView(row, job=job, former_secret_until=row.former_until)


def new(made: service.New) -> dict[str, Any]:
    return {"webhook": webhook(made.webhook), "secret": made.secret}


def delivery(delivered: service.DeliveryHistory) -> RowView:
    row = delivered.delivery
    body = missing if row.body is None else bytes(row.body).decode()
    return RowView(row, event=row.event_id, attempts=delivered.attempts, body=body)
