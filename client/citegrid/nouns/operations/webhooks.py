"""Webhooks: addresses of yours that are told what happens, and what became of each message."""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal, Unpack

from citegrid.calls import UNSET, Call, Unset, json_of, nothing
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

EventType = Literal[
    "*",
    "job.completed",
    "job.failed",
    "job.cancelled",
    "job.changed",
    "job.failing",
    "run.completed",
    "run.skipped",
    "run.closed",
    "campaign.completed",
    "campaign.exhausted",
    "record.disputed",
    "corpus.ready",
    "document.failed",
    "node.paused",
    "payout.settled",
]
DeliveryStatus = Literal["waiting", "delivered", "failed"]


class Webhook(ApiObject):
    """An address without its secret; `disabled_reason` says why nothing is sent to it."""

    id: str
    url: str
    events: tuple[str, ...]
    job: str | None
    enabled: bool
    disabled_at: datetime | None
    disabled_reason: str | None
    failing_since: datetime | None
    paused_until: datetime | None
    former_secret_until: datetime | None
    created_at: datetime


class NewWebhook(ApiObject):
    """An address with the secret that signs, which is never shown again."""

    webhook: Webhook
    secret: str = field(repr=False)


class DeliveryAttempt(ApiObject):
    """One try: the status of the answer, or in `error` why there is none."""

    at: datetime
    status: int | None
    error: str | None
    milliseconds: int
    answer: str | None


class DeliverySummary(ApiObject):
    """A delivery without its body; `event` is the header `webhook-id`."""

    id: str
    event: str
    type: str
    status: str
    error: str | None
    redelivery_of: str | None
    created_at: datetime
    next_at: datetime | None
    attempts: tuple[DeliveryAttempt, ...]


class Delivery(DeliverySummary):
    """A delivery with the body that is signed and sent."""

    body: str


class Redelivery(ApiObject):
    """The number of messages sent again; `has_more`: as many as one call takes, call it again."""

    redelivered: int
    has_more: bool


class Webhooks(Noun[M]):
    """`client.webhooks` (preview)"""

    @operation("GET", "/v1/webhooks", Access.KEY)
    def list(
        self, *, of_jobs: bool | None = None, **page: Unpack[PageOptions]
    ) -> Call[Page[Webhook]]:
        """Preview. One page of your webhooks, newest first; `limit` is 1 to 200. With
        `of_jobs=False`, without those that are limited to one job."""
        return Call(page_of("webhooks", Webhook))

    iterate = every(list, "Preview. All of your webhooks, newest first, page after page.")

    @operation("POST", "/v1/webhooks", Access.KEY, makes=True)
    def create(
        self,
        url: str,
        *,
        events: Sequence[EventType] | None = None,
        idempotency_key: str | None = None,
    ) -> Call[NewWebhook]:
        """Preview. Add a webhook; without `events` it receives all events. Only this answer has the
        secret, which `citegrid.webhooks.verify` needs."""
        return Call(json_of(NewWebhook))

    @operation("GET", "/v1/webhooks/{webhook_id}", Access.KEY)
    def get(self, webhook_id: str) -> Call[Webhook]:
        """Preview. A webhook, and whether it is disabled, since when and why."""
        return Call(json_of(Webhook, inside="webhook"))

    @operation("PATCH", "/v1/webhooks/{webhook_id}", Access.KEY)
    def update(
        self,
        webhook_id: str,
        *,
        url: str | Unset = UNSET,
        events: Sequence[EventType] | Unset = UNSET,
        enabled: bool | Unset = UNSET,
    ) -> Call[Webhook]:
        """Preview. Change the given fields; deliveries that wait for a disabled webhook fail."""
        return Call(json_of(Webhook, inside="webhook"))

    @operation("DELETE", "/v1/webhooks/{webhook_id}", Access.KEY)
    def delete(self, webhook_id: str) -> Call[None]:
        """Preview. Remove a webhook and its deliveries."""
        return Call(nothing)

    @operation("POST", "/v1/webhooks/{webhook_id}/roll", Access.KEY, makes=True)
    def roll(
        self,
        webhook_id: str,
        *,
        overlap_hours: int | None = None,
        idempotency_key: str | None = None,
    ) -> Call[NewWebhook]:
        """Preview. A new secret; the previous one also signs for 24 hours, or `overlap_hours`."""
        return Call(json_of(NewWebhook))

    @operation("POST", "/v1/webhooks/{webhook_id}/test", Access.KEY, makes=True)
    def test(self, webhook_id: str, *, idempotency_key: str | None = None) -> Call[Delivery]:
        """Preview. Send an event `webhook.test` to this address."""
        return Call(json_of(Delivery, inside="delivery"))

    @operation("GET", "/v1/webhooks/{webhook_id}/deliveries", Access.KEY)
    def deliveries(
        self, webhook_id: str, *, status: DeliveryStatus | None = None, **page: Unpack[PageOptions]
    ) -> Call[Page[DeliverySummary]]:
        """Preview. One page of the deliveries of the last 30 days, newest first."""
        return Call(page_of("deliveries", DeliverySummary))

    @operation("GET", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}", Access.KEY)
    def delivery(self, webhook_id: str, delivery_id: str) -> Call[Delivery]:
        """Preview. One delivery with its attempts and its body."""
        return Call(json_of(Delivery, inside="delivery"))

    @operation(
        "POST",
        "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
        Access.KEY,
        makes=True,
    )
    def redeliver(
        self, webhook_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> Call[Delivery]:
        """Preview. Send the same message again, as a new delivery."""
        return Call(json_of(Delivery, inside="delivery"))

    @operation("POST", "/v1/webhooks/{webhook_id}/redeliver", Access.KEY, makes=True)
    def redeliver_since(
        self, webhook_id: str, since: datetime, *, idempotency_key: str | None = None
    ) -> Call[Redelivery]:
        """Preview. Send again all that was not delivered since a time; at most 1,000 per call."""
        return Call(json_of(Redelivery))
