"""Campaigns (preview): records that nodes find and judge, paid for as they are accepted."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, Unpack

from citegrid.calls import UNSET, Call, Route, json_of, nothing
from citegrid.errors import StillRunning
from citegrid.nouns.campaigns.campaign_results import (
    Campaign,
    CampaignEntry,
    CampaignRecord,
    CampaignRun,
    CampaignStatistics,
    CampaignWork,
)
from citegrid.nouns.export import form_of, written
from citegrid.nouns.noun import M, Noun, iteration, operation, procedure
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.nouns.records.job_requests import schema_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import timestamp
from citegrid.transport.exchange import Emit, Pause, Produce, Steps

CampaignState = Literal[
    "awaiting_funds", "active", "paused", "completed", "exhausted", "ended", "cancelled"
]
RecordState = Literal["candidate", "accepted", "rejected", "unresolved", "any"]

PAUSE_SECONDS: Final = 2.0
RECORDS: Final = Route("GET", "/v1/campaigns/{campaign_id}/records", Access.KEY)
CLOSED: Final = frozenset({"closed", "skipped"})


class Campaigns(Noun[M]):
    """`client.campaigns` (preview)"""

    @operation("POST", "/v1/campaigns", Access.KEY, makes=True)
    def create(
        self,
        name: str,
        objective: str,
        data_requirements: Mapping[str, Any],
        reward_budget: Mapping[str, str],
        validation: Mapping[str, Any],
        *,
        schema: Mapping[str, Any] | type | None = None,
        cadence: str | None = None,
        starts_at: datetime | None = None,
        ends_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Campaign]:
        """Preview. Create a campaign; it starts when it is funded.

        `schema` is the JSON Schema of one record, a Pydantic class or a dataclass.
        """
        body = {
            "name": name,
            "objective": objective,
            "data_requirements": dict(data_requirements),
            "reward_budget": dict(reward_budget),
            "validation": dict(validation),
            "schema": UNSET if schema is None else schema_of(schema),
            "cadence": UNSET if cadence is None else cadence,
            "starts_at": UNSET if starts_at is None else timestamp(starts_at),
            "ends_at": UNSET if ends_at is None else timestamp(ends_at),
        }
        return Call(json_of(Campaign), body=body)

    @operation("GET", "/v1/campaigns", Access.KEY)
    def list(
        self,
        *,
        state: CampaignState | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[Campaign]]:
        """Preview. One page of your campaigns, newest first; `limit` is 1 to 200."""
        return Call(page_of("campaigns", Campaign))

    iterate = every(list, "Preview. All of your campaigns, newest first, page after page.")

    @operation("GET", "/v1/campaigns/{campaign_id}", Access.KEY)
    def get(self, campaign_id: str) -> Call[Campaign]:
        """Preview. A campaign with its money and a forecast."""
        return Call(json_of(Campaign))

    @operation("GET", "/v1/campaigns/{campaign_id}/statistics", Access.KEY)
    def statistics(self, campaign_id: str) -> Call[CampaignStatistics]:
        """Preview. Its records by state, its spending by reason, its balance over time."""
        return Call(json_of(CampaignStatistics))

    @operation("POST", "/v1/campaigns/{campaign_id}/fund", Access.ACCOUNT, makes=True)
    def fund(
        self, campaign_id: str, amount: Decimal | str, *, idempotency_key: str | None = None
    ) -> Call[Campaign]:
        """Preview. Move credit of your account to it; what it does not spend returns."""
        return Call(json_of(Campaign))

    @operation("POST", "/v1/campaigns/{campaign_id}/pause", Access.KEY, repeatable=True)
    def pause(self, campaign_id: str) -> Call[Campaign]:
        """Preview. Pause it: it starts no run until you resume it."""
        return Call(json_of(Campaign))

    @operation("POST", "/v1/campaigns/{campaign_id}/resume", Access.KEY, repeatable=True)
    def resume(self, campaign_id: str) -> Call[Campaign]:
        """Preview. Resume a paused campaign."""
        return Call(json_of(Campaign))

    @operation("POST", "/v1/campaigns/{campaign_id}/cancel", Access.KEY, repeatable=True)
    def cancel(self, campaign_id: str) -> Call[Campaign]:
        """Preview. End a campaign; submitted records are still judged and paid."""
        return Call(json_of(Campaign))

    @operation("GET", "/v1/campaigns/{campaign_id}/runs", Access.KEY)
    def list_runs(self, campaign_id: str, **page: Unpack[PageOptions]) -> Call[Page[CampaignRun]]:
        """Preview. One page of its runs with their reports, newest first."""
        return Call(page_of("runs", CampaignRun))

    runs = every(list_runs, "Preview. All of its runs, newest first.")

    @operation("GET", "/v1/campaigns/{campaign_id}/records", Access.KEY)
    def list_records(
        self,
        campaign_id: str,
        *,
        state: RecordState | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[CampaignRecord]]:
        """Preview. One page of its records, newest first; without `state` the accepted ones."""
        return Call(page_of("records", CampaignRecord))

    records = every(
        list_records,
        "Preview. All of its records, newest first; without `state` the accepted ones.",
    )

    @operation("GET", "/v1/campaigns/{campaign_id}/records/{record_id}", Access.KEY)
    def record(self, campaign_id: str, record_id: str) -> Call[CampaignRecord]:
        """Preview. One record with its provenance, whatever its state."""
        return Call(json_of(CampaignRecord))

    @operation(
        "PUT",
        "/v1/campaigns/{campaign_id}/records/{record_id}/judgement",
        Access.KEY,
        repeatable=True,
    )
    def judge(
        self, campaign_id: str, record_id: str, verdict: Literal["accept", "reject"]
    ) -> Call[CampaignRecord]:
        """Preview. Judge an undecided record, which tests its voters."""
        return Call(json_of(CampaignRecord))

    @operation("GET", "/v1/campaigns/{campaign_id}/work", Access.KEY)
    def list_work(self, campaign_id: str, **page: Unpack[PageOptions]) -> Call[Page[CampaignWork]]:
        """Preview. One page of the pages that its runs read, newest first."""
        return Call(page_of("work", CampaignWork))

    @operation("GET", "/v1/campaigns/{campaign_id}/ledger", Access.KEY)
    def list_entries(
        self, campaign_id: str, **page: Unpack[PageOptions]
    ) -> Call[Page[CampaignEntry]]:
        """Preview. One page of its transfers, newest first."""
        return Call(page_of("entries", CampaignEntry))

    @procedure
    def export(
        self,
        campaign_id: str,
        path: str | PathLike[str],
        form: Literal["csv", "ndjson"] | None = None,
        *,
        state: RecordState | None = None,
    ) -> Steps[Path]:
        """Preview. Write all records to a file, which appears when it is complete.

        Without `form`, a name ending in `.csv` means CSV, any other NDJSON.
        """
        call = Call(into=nothing, path={"campaign_id": campaign_id}, query={"state": state})
        return (yield from written(self._service, RECORDS, call, path, form_of(path, form)))

    @iteration
    def follow(self, campaign_id: str, *, timeout: float | None = None) -> Produce[CampaignRun]:
        """Preview. The latest run after each change, until it is closed.

        Raises StillRunning when `timeout` seconds are over.
        """
        clock, shown = self._service.policy.clock, None
        deadline = None if timeout is None else clock() + timeout
        while True:
            page = yield from Campaigns.list_runs.steps(self, campaign_id, limit=1)
            run = page.items[0] if page.items else None
            if run is not None and run != shown:
                shown = run
                yield Emit(run)
            if run is not None and run.state in CLOSED:
                return
            if deadline is not None and clock() >= deadline:
                raise StillRunning(campaign_id)
            yield Pause(PAUSE_SECONDS)
