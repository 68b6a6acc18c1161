"""Alerts: one message when something of yours crosses a threshold."""

from datetime import datetime
from typing import Literal, Unpack

from citegrid.calls import Call, json_of, nothing
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

AlertCondition = Literal["changed", "failing", "ended", "budget_spent", "waiting", "oldest"]


class Alert(ApiObject):
    """An alert about a monitor, a campaign or a queue; `state` is `active`, `unconfirmed`,
    `stopped` or `refused`."""

    id: str
    monitor: str | None
    campaign: str | None
    queue: str | None
    condition: str
    threshold: float | None
    email: str | None
    webhook: str | None
    state: str
    told_at: datetime | None
    created_at: datetime


class Alerts(Noun[M]):
    """`client.alerts` (preview)"""

    @operation("GET", "/v1/alerts", Access.KEY)
    def list(
        self,
        *,
        monitor: str | None = None,
        campaign: str | None = None,
        queue: str | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[Alert]]:
        """Preview. One page of your alerts, newest first: all, or those about one thing."""
        return Call(page_of("alerts", Alert))

    iterate = every(list, "Preview. All of your alerts, newest first, page after page.")

    @operation("POST", "/v1/alerts", Access.KEY, makes=True)
    def create(
        self,
        condition: AlertCondition,
        *,
        threshold: float | None = None,
        monitor: str | None = None,
        campaign: str | None = None,
        queue: str | None = None,
        email: str | None = None,
        webhook: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Alert]:
        """Preview. Create an alert about one thing. The owner of the `email` address is asked to
        confirm first; a `webhook` gets `alert.raised`."""
        return Call(json_of(Alert, inside="alert"))

    @operation("GET", "/v1/alerts/{alert_id}", Access.KEY)
    def get(self, alert_id: str) -> Call[Alert]:
        """Preview. An alert with its state."""
        return Call(json_of(Alert, inside="alert"))

    @operation("DELETE", "/v1/alerts/{alert_id}", Access.KEY)
    def delete(self, alert_id: str) -> Call[None]:
        """Preview. Delete an alert; its messages that wait are not sent."""
        return Call(nothing)
