"""The outbox: events promised to endpoints in the transaction in which they happen."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.service import enqueue
from app.domains.queue.webhooks import delivery_store, event_store, events, store


def _given_up(tx: Tx, job: EndedJob) -> None:
    error = (job.error or {}).get("code", job.state)
    delivery_store.fail(tx, job.id, str(error))


KIND = kinds.register(
    "webhooks.deliver",
    queue="webhooks",
    deadline_seconds=3 * 86_400,
    # Eight attempts, the last about a day after the first.
    pauses=(5, 300, 1_800, 7_200, 18_000, 28_800, 32_400),
    ids_per_message=1,  # a receiver that hangs keeps nothing else waiting
    on_end=_given_up,
)


def tell(tx: Tx, account_id: UUID, type: str, subject: UUID, data: dict[str, Any]) -> None:
    """Promise an event to each enabled endpoint of the account that wants it.

    `subject` is what changed in this transaction, as a job or a campaign; `data` is thin: ids,
    states, counts, never records. Without an endpoint nothing is written.
    """
    if type not in events.TYPES:
        raise ValueError(f"{type} is no type of event")
    endpoints = store.wanting(tx, account_id, subject, [type, events.EVERY])
    if endpoints:
        _promise(tx, account_id, type, subject, data, endpoints)


def test(tx: Tx, account_id: UUID, webhook_id: UUID) -> UUID:
    """Promise a test to one endpoint; returns its delivery."""
    data = {"id": ids.public(Noun.WEBHOOK, webhook_id)}
    (delivery_id,) = _promise(tx, account_id, events.TEST, webhook_id, data, [webhook_id])
    return delivery_id


def alert(tx: Tx, account_id: UUID, webhook_id: UUID, subject: UUID, data: dict[str, Any]) -> None:
    """Promise the message of an alert to its endpoint, whatever that subscribes to."""
    if store.hold(tx, webhook_id, account_id):
        _promise(tx, account_id, events.ALERT, subject, data, [webhook_id])


def announce_disabled(tx: Tx, account_id: UUID, webhook_id: UUID, url: str, reason: str) -> None:
    """Tell the account's other endpoints that this one gets nothing any more."""
    if endpoints := store.others(tx, account_id, webhook_id):
        data = {"id": ids.public(Noun.WEBHOOK, webhook_id), "url": url, "reason": reason}
        _promise(tx, account_id, events.DISABLED, webhook_id, data, endpoints)


def _promise(
    tx: Tx,
    account_id: UUID,
    type: str,
    subject: UUID,
    data: dict[str, Any],
    endpoints: Iterable[UUID],
) -> list[UUID]:
    """One event with its final bytes, and a delivery for each endpoint."""
    event_id, numbered = ids.new(), event_store.next_number(tx, subject)
    body = events.body(type, numbered.at, numbered.version, data)
    of = {"type": type, "subject": subject, "version": numbered.version, "body": body}
    event_store.insert(tx, id=event_id, account_id=account_id, **of)
    return [deliver(tx, account_id, webhook_id, event_id) for webhook_id in endpoints]


def deliver(
    tx: Tx, account_id: UUID, webhook_id: UUID, event_id: UUID, redelivery_of: UUID | None = None
) -> UUID:
    """Promise one delivery; its id is that of its job."""
    noun = delivery_store.insertion(webhook_id, event_id, redelivery_of)
    return enqueue(tx, KIND, account_id, {}, noun=noun)
