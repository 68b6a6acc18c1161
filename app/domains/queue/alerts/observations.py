"""Observations of things that alerts are about, in the transaction in which they change.

A message is promised with the observation that causes it, and once for each crossing: the next one
needs the value to fall first.
"""

from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.queue.alerts import conditions, service, store
from app.domains.queue.alerts.mail import mails, texts
from app.domains.queue.alerts.store import Alert
from app.domains.queue.webhooks import outbox


def measure(tx: Tx, alert: Alert, value: float, title: str) -> None:
    """A value of now; `title` names the thing."""
    threshold = alert.threshold or 0.0
    if not alert.raised and conditions.holds(alert.condition, threshold, value):
        if store.raise_(tx, alert.id, conditions.RULES[alert.condition].rest_seconds):
            _tell(tx, alert, value, title)
    elif alert.raised and conditions.has_fallen(alert.condition, threshold, value):
        store.lower(tx, alert.id)


def count(tx: Tx, alert: Alert, events: int, title: str) -> None:
    """So many events: told of now, or with the first observation after the alert's rest."""
    rest_seconds = conditions.RULES[alert.condition].rest_seconds
    if told := store.count_events(tx, alert.id, events, rest_seconds):
        _tell(tx, alert, told, title)


def happened(tx: Tx, alert: Alert, title: str) -> None:
    """The condition came true once and for all."""
    if store.raise_(tx, alert.id, 0):
        _tell(tx, alert, 1, title)


def queues(tx: Tx) -> None:
    for alert in store.observed_queues(tx):
        value = alert.waiting if alert.condition == "waiting" else alert.oldest_seconds
        measure(tx, alert, value, alert.queue or "")


def _tell(tx: Tx, alert: Alert, value: float, title: str) -> None:
    text = texts.message(alert.condition, alert.threshold, value, title)
    if alert.webhook_id is not None:
        _event(tx, alert, alert.webhook_id, value, text)
    if alert.address_id is not None:
        subject = texts.SUBJECTS[alert.condition]
        mails.tell(tx, alert.account_id, alert.address_id, alert.id, subject, text)


def _event(tx: Tx, alert: Alert, webhook_id: UUID, value: float, text: str) -> None:
    data = {
        "id": ids.public(Noun.ALERT, alert.id),
        **service.described(alert),
        "condition": alert.condition,
        "threshold": alert.threshold,
        "value": value,
        "text": text,
    }
    outbox.alert(tx, alert.account_id, webhook_id, alert.id, data)
