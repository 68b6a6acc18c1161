"""/v1/campaigns: records that are paid for one by one, as independent nodes accept them."""

from typing import Any
from uuid import UUID

from flask import url_for

from app.core import db
from app.core.db.moments import one_moment
from app.core.errors import NotAcceptable, Overloaded
from app.core.http import Blueprint, account_only, caller, raises, scoped
from app.core.http.exports import forms
from app.core.http.fields import RowView
from app.core.http.idempotency import IdempotencyKeyReused, once
from app.core.http.pagination import PageIn, page
from app.domains.campaigns.campaigns import export, presentation, schemas, service, store
from app.domains.campaigns.campaigns.money import statistics_schemas
from app.domains.campaigns.campaigns.money.statistics import statistics_of
from app.domains.campaigns.campaigns.records import record_schemas, record_store
from app.domains.campaigns.campaigns.runs import page_store, run_store
from app.domains.campaigns.campaigns.service import (
    CampaignNotFound,
    CampaignState,
    RecordDecided,
    RecordNotFound,
    RewardTooSmall,
)
from app.domains.money.ledger.service import InsufficientCredit

campaigns = Blueprint(
    "campaigns",
    __name__,
    description="Campaigns that pay for records found and judged by nodes.",
    preview=True,
)


@campaigns.post("/v1/campaigns", operation="createCampaign")
@scoped("campaigns")
@raises(RewardTooSmall)
@campaigns.arguments(schemas.CampaignIn)
@campaigns.response(201, schemas.CampaignOut)
def create(body: dict[str, Any]) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Create a campaign. It starts after you fund it."""

    def make(tx: db.Tx) -> RowView:
        campaign = service.create(tx, caller().account_id, body)
        return presentation.campaign(tx, campaign)

    made = once(body, make, schemas.CampaignOut)
    return made, 201, {"Location": url_for("campaigns.show", campaign_id=made["id"])}


@campaigns.get("/v1/campaigns", operation="listCampaigns")
@scoped("campaigns")
@campaigns.arguments(schemas.CampaignsIn, location="query")
@campaigns.response(200, schemas.CampaignPageSchema)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your campaigns with their balances, newest first."""
    with one_moment() as reader:
        rows = store.page(
            reader,
            caller().account_id,
            state=wanted.get("state"),
            before=wanted.get("cursor"),
            most=wanted["limit"] + 1,
        )
        shown = presentation.campaigns(reader, rows)
    return page("campaigns", rows, wanted["limit"], lambda row: shown[row.id])


@campaigns.get("/v1/campaigns/<camp:campaign_id>", operation="getCampaign")
@scoped("campaigns")
@raises(CampaignNotFound)
@campaigns.response(200, schemas.CampaignOut)
def show(campaign_id: UUID) -> RowView:
    """Get a campaign with its balances and forecast."""
    with one_moment() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        return presentation.campaign(reader, campaign)


@campaigns.get("/v1/campaigns/<camp:campaign_id>/statistics", operation="getCampaignStatistics")
@scoped("campaigns")
@raises(CampaignNotFound)
@campaigns.response(200, statistics_schemas.CampaignStatisticsSchema)
def statistics(campaign_id: UUID) -> RowView:
    """Get record counts, spending by reason and the budget over time."""
    with one_moment() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        return presentation.statistics(statistics_of(reader, campaign))


@campaigns.post("/v1/campaigns/<camp:campaign_id>/fund", operation="fundCampaign")
@account_only
@raises(CampaignNotFound, CampaignState, InsufficientCredit, IdempotencyKeyReused)
@campaigns.arguments(schemas.FundIn)
@campaigns.response(201, schemas.CampaignOut)
def fund(body: dict[str, Any], campaign_id: UUID) -> tuple[dict[str, Any], int]:
    """Add credit of your account to the campaign. Unspent funds return at its end."""

    def make(tx: db.Tx) -> RowView:
        campaign = service.fund(tx, caller().account_id, campaign_id, body["amount"])
        return presentation.campaign(tx, campaign)

    return once(body, make, schemas.CampaignOut), 201


@campaigns.post("/v1/campaigns/<camp:campaign_id>/pause", operation="pauseCampaign")
@scoped("campaigns")
@raises(CampaignNotFound, CampaignState)
@campaigns.response(200, schemas.CampaignOut)
def pause(campaign_id: UUID) -> RowView:
    """Pause a campaign. An open run continues to its end."""
    with db.transaction() as tx:
        campaign = service.pause(tx, caller().account_id, campaign_id)
        return presentation.campaign(tx, campaign)


@campaigns.post("/v1/campaigns/<camp:campaign_id>/resume", operation="resumeCampaign")
@scoped("campaigns")
@raises(CampaignNotFound, CampaignState)
@campaigns.response(200, schemas.CampaignOut)
def resume(campaign_id: UUID) -> RowView:
    """Resume a paused campaign with its next run."""
    with db.transaction() as tx:
        campaign = service.resume(tx, caller().account_id, campaign_id)
        return presentation.campaign(tx, campaign)


@campaigns.post("/v1/campaigns/<camp:campaign_id>/cancel", operation="cancelCampaign")
@scoped("campaigns")
@raises(CampaignNotFound)
@campaigns.response(200, schemas.CampaignOut)
def cancel(campaign_id: UUID) -> RowView:
    """Cancel a campaign. Unreserved funds return immediately, the rest when its run closes.
    Submitted records are still judged and paid. An ended campaign is returned unchanged.
    """
    with db.transaction() as tx:
        campaign = service.cancel(tx, caller().account_id, campaign_id)
        return presentation.campaign(tx, campaign)


@campaigns.get("/v1/campaigns/<camp:campaign_id>/runs", operation="listCampaignRuns")
@scoped("campaigns")
@raises(CampaignNotFound)
@campaigns.arguments(PageIn, location="query")
@campaigns.response(200, schemas.CampaignRunPageSchema)
def runs(wanted: dict[str, Any], campaign_id: UUID) -> dict[str, Any]:
    """List runs with their reports, newest first. Skipped runs include the reason."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        rows = run_store.page(reader, campaign.id, wanted.get("cursor"), wanted["limit"] + 1)
    return page("runs", rows, wanted["limit"], presentation.run)


@campaigns.get("/v1/campaigns/<camp:campaign_id>/records", operation="listCampaignRecords")
@scoped("campaigns")
@raises(CampaignNotFound, NotAcceptable, Overloaded)
@campaigns.arguments(record_schemas.CampaignRecordsIn, location="query")
@campaigns.response(200, record_schemas.CampaignRecordPageSchema)
@campaigns.doc(**export.DOCUMENTED)
def records(wanted: dict[str, Any], campaign_id: UUID) -> Any:
    """List records, newest first: a page of JSON, or all as NDJSON or CSV by `Accept`."""
    form, limit = forms.wanted(), wanted["limit"]
    state = None if wanted["state"] == "any" else wanted["state"]
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        if form == forms.JSON:
            rows = record_store.page(
                reader, campaign.id, state=state, before=wanted.get("cursor"), most=limit + 1
            )
    if form != forms.JSON:
        return forms.streamed(export.stream(campaign, state, form), form)
    schema = campaign.body["schema"]
    return page("records", rows, limit, lambda row: presentation.record(row, schema))


@campaigns.get(
    "/v1/campaigns/<camp:campaign_id>/records/<crec:record_id>", operation="getCampaignRecord"
)
@scoped("campaigns")
@raises(CampaignNotFound, RecordNotFound)
@campaigns.response(200, record_schemas.CampaignRecordSchema)
def record(campaign_id: UUID, record_id: UUID) -> RowView:
    """Get a record with its provenance."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        row = service.record_of(reader, campaign, record_id)
    return presentation.record(row, campaign.body["schema"])


@campaigns.put(
    "/v1/campaigns/<camp:campaign_id>/records/<crec:record_id>/judgement",
    operation="judgeCampaignRecord",
)
@scoped("campaigns")
@raises(CampaignNotFound, RecordNotFound, RecordDecided)
@campaigns.arguments(record_schemas.JudgementIn)
@campaigns.response(200, record_schemas.CampaignRecordSchema)
def judge(body: dict[str, Any], campaign_id: UUID, record_id: UUID) -> RowView:
    """Say whether an undecided record of your campaign is right.

    It tests those who vote on it, and others as an item with a known answer. It does not decide the
    record: nodes do, so that nobody can take records and not pay for them.
    """
    accepts = body["verdict"] == "accept"
    with db.transaction() as tx:
        campaign = service.find(tx, caller().account_id, campaign_id)
        row = service.judge(tx, campaign, record_id, accepts=accepts)
    return presentation.record(row, campaign.body["schema"])


@campaigns.get("/v1/campaigns/<camp:campaign_id>/work", operation="listCampaignWork")
@scoped("campaigns")
@raises(CampaignNotFound)
@campaigns.arguments(PageIn, location="query")
@campaigns.response(200, record_schemas.CampaignWorkPageSchema)
def work(wanted: dict[str, Any], campaign_id: UUID) -> dict[str, Any]:
    """List the pages of its runs with readers and outcomes, newest first."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        rows = page_store.page(reader, campaign.id, wanted.get("cursor"), wanted["limit"] + 1)
    return page("work", rows, wanted["limit"], presentation.page)


@campaigns.get("/v1/campaigns/<camp:campaign_id>/ledger", operation="listCampaignLedger")
@scoped("campaigns")
@raises(CampaignNotFound)
@campaigns.arguments(PageIn, location="query")
@campaigns.response(200, record_schemas.CampaignEntryPageSchema)
def entries(wanted: dict[str, Any], campaign_id: UUID) -> dict[str, Any]:
    """List all transfers of the campaign, newest first."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        rows = service.entries_of(reader, campaign, wanted.get("cursor"), wanted["limit"])
    return page("entries", rows, wanted["limit"], presentation.entry)
