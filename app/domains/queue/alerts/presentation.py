"""Alerts as their owner sees them."""

from app.core.http.fields import RowView
from app.domains.queue.alerts import service
from app.domains.queue.alerts.store import Alert


def alert(row: Alert) -> RowView:
    return RowView(row, **service.described(row), webhook=row.webhook_id)
