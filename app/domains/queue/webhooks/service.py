"""Endpoints that are told what happens. Callers hold the transaction.

A delivery is a job of the same id; what it sends was fixed in the transaction of the event.
"""

from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import Conflict, Invalid, NotFound, required
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs import store as job_store
from app.domains.queue.webhooks import delivery_store, events, outbox, signatures, store, turns
from app.domains.queue.webhooks.delivery_store import Delivery, DeliveryAttempt
from app.domains.queue.webhooks.store import Webhook
from app.domains.queue.webhooks.terms import DeliveryTerms

MOST_ENDPOINTS: Final = 20
MOST_REDELIVERED: Final = 1_000


class WebhookNotFound(NotFound):
    """No webhook with this id belongs to your account."""

    code = "webhook_not_found"


class DeliveryNotFound(NotFound):
    """This webhook has no delivery with this id."""

    code = "delivery_not_found"


class WebhookDisabled(Conflict):
    """This webhook is disabled. Enable it first."""

    code = "webhook_disabled"


class TooManyWebhooks(Conflict):
    """An account can have 20 webhooks, not counting those of jobs. Delete one first."""

    code = "too_many_webhooks"


class New(NamedTuple):
    """An endpoint with a secret that is shown once."""

    webhook: Webhook
    secret: str


class DeliveryHistory(NamedTuple):
    """A delivery with the attempts made, oldest first."""

    delivery: Delivery
    attempts: list[DeliveryAttempt]

    @property
    def id(self) -> UUID:
        return self.delivery.id


def create(tx: Tx, account_id: UUID, url: str, wanted: list[str], terms: DeliveryTerms) -> New:
    """Raises Invalid for an address that nothing is sent to, TooManyWebhooks."""
    _check(url, "/url", terms)
    if store.count_own(tx, account_id) >= MOST_ENDPOINTS:
        raise TooManyWebhooks
    return _insert(tx, account_id, url, wanted, terms)


def endpoint_for_job(
    tx: Tx, account_id: UUID, given: dict[str, Any], job_id: UUID, terms: DeliveryTerms
) -> tuple[UUID, str | None]:
    """The endpoint that a job's `webhook` names, and the secret of one that is made for it.

    `given` is `{url, events}` or `{id}`. One that is made hears of this job only.
    Raises Invalid.
    """
    if "id" in given:
        id = ids.lookup(Noun.WEBHOOK, given["id"])
        if not store.hold(tx, id, account_id):
            raise Invalid.at("/webhook/id", WebhookNotFound.message())
        return id, None
    _check(given["url"], "/webhook/url", terms)
    made = _insert(tx, account_id, given["url"], given.get("events", [events.EVERY]), terms, job_id)
    return made.webhook.id, made.secret


def _check(url: str, pointer: str, terms: DeliveryTerms) -> None:
    if problem := terms.refusal(url):
        raise Invalid.at(pointer, problem)


def _insert(
    tx: Tx,
    account_id: UUID,
    url: str,
    wanted: list[str],
    terms: DeliveryTerms,
    job_id: UUID | None = None,
) -> New:
    id, secret = ids.new(), signatures.new_secret()
    sealed = terms.vault.seal(secret.encode(), turns.bound(id))
    record_event(tx, "webhook.created", ids.public(Noun.WEBHOOK, id), account_id, events=wanted)
    return New(store.insert(tx, id, account_id, url, wanted, sealed, job_id), secret)


def find(reader: Reader, account_id: UUID, id: UUID) -> Webhook:
    """An endpoint of this account. Raises WebhookNotFound, also for another account's."""
    return required(store.by_id(reader, id, account_id), WebhookNotFound)


def change(
    tx: Tx, account_id: UUID, id: UUID, changes: dict[str, Any], terms: DeliveryTerms
) -> Webhook:
    """Change `url`, `events` or `enabled`. What waits for a disabled endpoint fails."""
    webhook = _locked(tx, account_id, id)
    if "url" in changes:
        _check(changes["url"], "/url", terms)
    url = changes.get("url", webhook.url)
    store.change(tx, webhook.id, url, changes.get("events", webhook.events))
    if url != webhook.url:
        store.clear_failures(tx, webhook.id)  # they were the former address's
    if changes.get("enabled") is True:
        store.enable(tx, webhook.id)
    if changes.get("enabled") is False:
        turns.disable(tx, webhook.id, turns.BY_OWNER)
    record_event(
        tx, "webhook.changed", ids.public(Noun.WEBHOOK, id), account_id, changed=sorted(changes)
    )
    return find(tx, account_id, id)


def _locked(tx: Tx, account_id: UUID, id: UUID) -> Webhook:
    return required(store.for_update(tx, id, account_id), WebhookNotFound)


def delete(tx: Tx, account_id: UUID, id: UUID) -> None:
    """The endpoint and its deliveries; what was promised to it finds nobody."""
    if not store.delete(tx, id, account_id):
        raise WebhookNotFound
    record_event(tx, "webhook.deleted", ids.public(Noun.WEBHOOK, id), account_id)


def roll(tx: Tx, account_id: UUID, id: UUID, overlap_hours: int, terms: DeliveryTerms) -> New:
    """A new secret; the former one signs as well for the overlap."""
    webhook, secret = _locked(tx, account_id, id), signatures.new_secret()
    sealed = terms.vault.seal(secret.encode(), turns.bound(webhook.id))
    store.roll(tx, webhook.id, sealed, overlap_hours)
    record_event(
        tx,
        "webhook.secret_rolled",
        ids.public(Noun.WEBHOOK, id),
        account_id,
        overlap_hours=overlap_hours,
    )
    return New(find(tx, account_id, id), secret)


def test(tx: Tx, account_id: UUID, id: UUID) -> DeliveryHistory:
    """Send an event `webhook.test` to this endpoint. Raises WebhookDisabled."""
    webhook = _enabled(tx, account_id, id)
    return delivery(tx, account_id, id, outbox.test(tx, account_id, webhook.id))


def redeliver(tx: Tx, account_id: UUID, id: UUID, delivery_id: UUID) -> DeliveryHistory:
    """Send the event of a delivery again, as it was. Raises DeliveryNotFound, WebhookDisabled."""
    webhook = find(tx, account_id, id)
    event_id = required(delivery_store.event_of(tx, webhook.id, delivery_id), DeliveryNotFound)
    _enabled(tx, account_id, id)
    again = outbox.deliver(tx, account_id, webhook.id, event_id, redelivery_of=delivery_id)
    return delivery(tx, account_id, id, again)


class RedeliveryCount(NamedTuple):
    redelivered: int
    has_more: bool


def redeliver_since(tx: Tx, account_id: UUID, id: UUID, since: datetime) -> RedeliveryCount:
    """Send again what failed since then, and was not sent again since; what waits for its next
    attempt is sent now. Raises WebhookDisabled."""
    webhook = _enabled(tx, account_id, id)
    store.end_pause(tx, webhook.id)
    waiting = delivery_store.unsent_since(tx, webhook.id, since, "waiting", MOST_REDELIVERED)
    hastened = job_store.hasten(tx, waiting)
    failed_ids = delivery_store.unsent_since(tx, webhook.id, since, "failed", MOST_REDELIVERED + 1)
    again = failed_ids[:MOST_REDELIVERED]
    for id in again:
        if event_id := delivery_store.event_of(tx, webhook.id, id):
            outbox.deliver(tx, account_id, webhook.id, event_id, redelivery_of=id)
    return RedeliveryCount(hastened + len(again), len(failed_ids) > len(again))


def _enabled(tx: Tx, account_id: UUID, id: UUID) -> Webhook:
    webhook = _locked(tx, account_id, id)
    if not webhook.enabled:
        raise WebhookDisabled
    return webhook


def deliveries(
    reader: Reader, account_id: UUID, id: UUID, status: str | None, before: UUID | None, limit: int
) -> list[DeliveryHistory]:
    """Newest first, one more than `limit`, without bodies."""
    webhook = find(reader, account_id, id)
    page = delivery_store.page(reader, webhook.id, status, before, limit + 1)
    made = delivery_store.attempts(reader, [delivery.id for delivery in page])
    return [DeliveryHistory(delivery, made[delivery.id]) for delivery in page]


def delivery(reader: Reader, account_id: UUID, id: UUID, delivery_id: UUID) -> DeliveryHistory:
    """One delivery with its body. Raises WebhookNotFound, DeliveryNotFound."""
    webhook = find(reader, account_id, id)
    row = required(delivery_store.by_id(reader, webhook.id, delivery_id), DeliveryNotFound)
    return DeliveryHistory(row, delivery_store.attempts(reader, [row.id])[row.id])
