"""Disputes and appeals: a record was wrongly accepted, or wrongly rejected."""

from datetime import datetime
from typing import Literal, Unpack

from citegrid.calls import Call, json_of
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

DisputeCategory = Literal[
    "not_found", "wrong_value", "irrelevant", "duplicate", "stale", "broken", "other"
]


class Dispute(ApiObject):
    """`status` is `open`, `upheld` (the decision was wrong) or `refused`."""

    id: str
    kind: str
    campaign_id: str
    record_id: str
    record_version: int
    category: str | None
    reason: str
    duplicate_of: str | None
    status: str
    decided_by: str | None
    opened_at: datetime
    ends_at: datetime
    decided_at: datetime | None


class Disputes(Noun[M]):
    """`client.disputes` (preview)"""

    @operation(
        "POST", "/v1/campaigns/{campaign_id}/records/{record_id}/dispute", Access.KEY, makes=True
    )
    def open(
        self,
        campaign_id: str,
        record_id: str,
        category: DisputeCategory,
        reason: str,
        *,
        idempotency_key: str | None = None,
    ) -> Call[Dispute]:
        """Preview. Dispute an accepted record of your campaign, with a reason."""
        return Call(json_of(Dispute, inside="dispute"))

    @operation("POST", "/v1/campaigns/records/{record_id}/appeal", Access.KEY, makes=True)
    def appeal(
        self, record_id: str, reason: str, *, idempotency_key: str | None = None
    ) -> Call[Dispute]:
        """Preview. Appeal the rejection of a record of your nodes, with a reason."""
        return Call(json_of(Dispute, inside="dispute"))

    @operation("GET", "/v1/campaigns/{campaign_id}/disputes", Access.KEY)
    def of_campaign(self, campaign_id: str, **page: Unpack[PageOptions]) -> Call[Page[Dispute]]:
        """Preview. One page of the disputes and appeals of your campaign, newest first."""
        return Call(page_of("disputes", Dispute))

    @operation("GET", "/v1/disputes", Access.KEY)
    def list(self, **page: Unpack[PageOptions]) -> Call[Page[Dispute]]:
        """Preview. One page of those about records that your nodes contributed, newest first."""
        return Call(page_of("disputes", Dispute))

    iterate = every(
        list, "Preview. All of those about records that your nodes contributed, page after page."
    )
