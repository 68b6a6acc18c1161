"""/v1/campaigns: records that are paid for one by one, as independent nodes accept them."""

from typing import Any

from flask import url_for

from app.core import db
from app.core.errors import NotAcceptable, Overloaded
from app.core.http import Blueprint, account_only, caller, exports, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import IdempotencyKeyReused, once
from app.core.http.pagination import PageIn, page
from app.domains.campaigns.campaigns import export, presentation, schemas, service
from app.domains.campaigns.campaigns.money import statistics_schemas
from app.domains.campaigns.campaigns.money.statistics import statistics_of
from app.domains.campaigns.campaigns.records import record_schemas, record_store
from app.domains.campaigns.campaigns.service import (
    CampaignNotFound,
    CampaignState,
    RecordNotFound,
    RewardTooSmall,
)
from app.domains.money.ledger.service import InsufficientCredit

bp = Blueprint(
    "campaigns",
    __name__,
    description="Campaigns: records that nodes find and judge, paid for as they are accepted.",
    preview=True,
)


@bp.post("/v1/campaigns")
@scoped("campaigns")
@raises(RewardTooSmall)
@bp.arguments(schemas.CampaignIn)
@bp.response(201, schemas.CampaignOut)
@bp.doc(operationId="createCampaign")
def create(body: dict[str, Any]) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Describe what you want. Nothing happens before the campaign is funded."""

    def make(tx: db.Tx) -> dict[str, Any]:
        campaign = service.create(tx, caller().account_id, body)
        return presentation.as_json(presentation.campaign(tx, campaign))

    made = once(body, make)
    return made, 201, {"Location": url_for("campaigns.show", campaign_id=made["id"])}


@bp.get("/v1/campaigns")
@scoped("campaigns")
@bp.arguments(schemas.CampaignsIn, location="query")
@bp.response(200, schemas.CampaignPageSchema)
@bp.doc(operationId="listCampaigns")
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """Your campaigns with their money, newest first."""
    with db.reading() as reader:
        rows = service.recent(
            reader,
            caller().account_id,
            state=wanted.get("state"),
            before=wanted.get("cursor"),
            limit=wanted["limit"],
        )
        shown = presentation.campaigns(reader, rows)
    return page("campaigns", rows, wanted["limit"], lambda row: shown[row.id])


@bp.get("/v1/campaigns/<string:campaign_id>")
@scoped("campaigns")
@raises(CampaignNotFound)
@bp.response(200, schemas.CampaignOut)
@bp.doc(operationId="getCampaign")
def show(campaign_id: str) -> dict[str, Any]:
    """A campaign, its money, and how far that goes."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        return presentation.campaign(reader, campaign)


@bp.get("/v1/campaigns/<string:campaign_id>/statistics")
@scoped("campaigns")
@raises(CampaignNotFound)
@bp.response(200, statistics_schemas.CampaignStatisticsSchema)
@bp.doc(operationId="getCampaignStatistics")
def statistics(campaign_id: str) -> RowView:
    """Its records by state, what it spent for which reason, and how its money goes down."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        return presentation.statistics(statistics_of(reader, campaign))


@bp.post("/v1/campaigns/<string:campaign_id>/fund")
@account_only
@raises(CampaignNotFound, CampaignState, InsufficientCredit, IdempotencyKeyReused)
@bp.arguments(schemas.FundIn)
@bp.response(201, schemas.CampaignOut)
@bp.doc(operationId="fundCampaign")
def fund(body: dict[str, Any], campaign_id: str) -> tuple[dict[str, Any], int]:
    """Set credit of your account aside for the campaign; what it does not spend returns."""

    def make(tx: db.Tx) -> dict[str, Any]:
        campaign = service.fund(tx, caller().account_id, campaign_id, body["amount"])
        return presentation.as_json(presentation.campaign(tx, campaign))

    return once(body, make), 201


@bp.post("/v1/campaigns/<string:campaign_id>/pause")
@scoped("campaigns")
@raises(CampaignNotFound, CampaignState)
@bp.response(200, schemas.CampaignOut)
@bp.doc(operationId="pauseCampaign")
def pause(campaign_id: str) -> dict[str, Any]:
    """Begin no run until it is resumed; an open run goes on to its end."""
    with db.transaction() as tx:
        campaign = service.pause(tx, caller().account_id, campaign_id)
        return presentation.campaign(tx, campaign)


@bp.post("/v1/campaigns/<string:campaign_id>/resume")
@scoped("campaigns")
@raises(CampaignNotFound, CampaignState)
@bp.response(200, schemas.CampaignOut)
@bp.doc(operationId="resumeCampaign")
def resume(campaign_id: str) -> dict[str, Any]:
    """Let a paused campaign go on with its next run."""
    with db.transaction() as tx:
        campaign = service.resume(tx, caller().account_id, campaign_id)
        return presentation.campaign(tx, campaign)


@bp.post("/v1/campaigns/<string:campaign_id>/cancel")
@scoped("campaigns")
@raises(CampaignNotFound)
@bp.response(200, schemas.CampaignOut)
@bp.doc(operationId="cancelCampaign")
def cancel(campaign_id: str) -> dict[str, Any]:
    """End a campaign. Money that no run has reserved returns at once, the rest as its run closes;
    what was submitted is still judged and paid. An ended one is returned unchanged."""
    with db.transaction() as tx:
        campaign = service.cancel(tx, caller().account_id, campaign_id)
        return presentation.campaign(tx, campaign)


@bp.get("/v1/campaigns/<string:campaign_id>/runs")
@scoped("campaigns")
@raises(CampaignNotFound)
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.CampaignRunPageSchema)
@bp.doc(operationId="listCampaignRuns")
def runs(wanted: dict[str, Any], campaign_id: str) -> dict[str, Any]:
    """Its runs with their reports, newest first; ticks that were passed over say why."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        rows = service.runs_of(reader, campaign, wanted.get("cursor"), wanted["limit"])
    return page("runs", rows, wanted["limit"], presentation.run)


@bp.get("/v1/campaigns/<string:campaign_id>/records")
@scoped("campaigns")
@raises(CampaignNotFound, NotAcceptable, Overloaded)
@bp.arguments(record_schemas.CampaignRecordsIn, location="query")
@bp.response(200, record_schemas.CampaignRecordPageSchema)
@bp.doc(operationId="listCampaignRecords", **export.DOCUMENTED)
def records(wanted: dict[str, Any], campaign_id: str) -> Any:
    """Its records, newest first: a page of JSON, or all of them as NDJSON or CSV by `Accept`."""
    form, limit = exports.wanted_form(), wanted["limit"]
    state = None if wanted["state"] == "any" else wanted["state"]
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        if form == exports.JSON:
            rows = record_store.page(
                reader, campaign.id, state=state, before=wanted.get("cursor"), most=limit + 1
            )
    if form != exports.JSON:
        return exports.streamed(export.stream(campaign, state, form), form)
    schema = campaign.body["schema"]
    return page("records", rows, limit, lambda row: presentation.record(row, schema))


@bp.get("/v1/campaigns/<string:campaign_id>/records/<string:record_id>")
@scoped("campaigns")
@raises(CampaignNotFound, RecordNotFound)
@bp.response(200, record_schemas.CampaignRecordSchema)
@bp.doc(operationId="getCampaignRecord")
def record(campaign_id: str, record_id: str) -> dict[str, Any]:
    """One record with its provenance, whatever its state."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        row = service.record_of(reader, campaign, record_id)
    return presentation.record(row, campaign.body["schema"])


@bp.get("/v1/campaigns/<string:campaign_id>/work")
@scoped("campaigns")
@raises(CampaignNotFound)
@bp.arguments(PageIn, location="query")
@bp.response(200, record_schemas.CampaignWorkPageSchema)
@bp.doc(operationId="listCampaignWork")
def work(wanted: dict[str, Any], campaign_id: str) -> dict[str, Any]:
    """The pages that its runs read, newest first: who reads them, and what came of it."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        rows = service.pages_of(reader, campaign, wanted.get("cursor"), wanted["limit"])
    return page("work", rows, wanted["limit"], presentation.page)


@bp.get("/v1/campaigns/<string:campaign_id>/ledger")
@scoped("campaigns")
@raises(CampaignNotFound)
@bp.arguments(PageIn, location="query")
@bp.response(200, record_schemas.CampaignEntryPageSchema)
@bp.doc(operationId="listCampaignLedger")
def entries(wanted: dict[str, Any], campaign_id: str) -> dict[str, Any]:
    """Every movement of its money, newest first."""
    with db.reading() as reader:
        campaign = service.find(reader, caller().account_id, campaign_id)
        rows = service.entries_of(reader, campaign, wanted.get("cursor"), wanted["limit"])
    return page("entries", rows, wanted["limit"], presentation.entry)
