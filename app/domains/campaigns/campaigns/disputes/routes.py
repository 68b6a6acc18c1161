"""Disputes of accepted records by who paid for them, appeals of rejected ones by who made them."""

from typing import Any

from flask import current_app

from app.core import db
from app.core.config.settings import Settings
from app.core.http import Blueprint, caller, raises, scoped
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.campaigns.campaigns.disputes import presentation as presenting
from app.domains.campaigns.campaigns.disputes import schemas, service
from app.domains.campaigns.campaigns.disputes.service import (
    AlreadyDisputed,
    DisputeLimit,
    DisputeWindowOver,
)
from app.domains.campaigns.campaigns.disputes.store import Dispute
from app.domains.campaigns.campaigns.service import CampaignNotFound, RecordNotFound

bp = Blueprint(
    "disputes",
    __name__,
    url_prefix="/v1",
    description="When a record was wrongly accepted or rejected: disputes and appeals.",
    preview=True,
)


def _window_hours() -> float:
    settings: Settings = current_app.extensions["settings"]
    return settings.rewards_pending_hours


def _dumped(made: Dispute) -> dict[str, Any]:
    answer: dict[str, Any] = schemas.DisputeOut().dump({"dispute": presenting.dispute(made)})
    return answer


def _page(rows: list[Dispute], limit: int) -> dict[str, Any]:
    return page("disputes", rows, limit, presenting.dispute)


@bp.post("/campaigns/<string:campaign_id>/records/<string:record_id>/dispute")
@scoped("campaigns")
@raises(CampaignNotFound, RecordNotFound, DisputeWindowOver, AlreadyDisputed, DisputeLimit)
@bp.arguments(schemas.DisputeIn)
@bp.response(201, schemas.DisputeOut)
@bp.doc(operationId="disputeRecord")
def dispute(body: dict[str, Any], campaign_id: str, record_id: str) -> dict[str, Any]:
    """Say that an accepted record of your campaign should not have been, and why.

    Possible while its reward is pending (72 hours, if the operator set nothing else). Accounts that
    have not voted on it judge again, or the operator decides; until then nothing it earned becomes
    available. Upheld, all of that returns to your campaign.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.dispute(
            tx,
            caller().account_id,
            campaign_id,
            record_id,
            category=body["category"],
            reason=body["reason"],
            window_hours=_window_hours(),
        )
        return _dumped(made)

    return once(body, make)


@bp.get("/campaigns/<string:campaign_id>/disputes")
@scoped("campaigns")
@raises(CampaignNotFound)
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.DisputesOut)
@bp.doc(operationId="listCampaignDisputes")
def of_campaign(wanted: dict[str, Any], campaign_id: str) -> dict[str, Any]:
    """The disputes and appeals about records of your campaign, newest first."""
    with db.reading() as reader:
        rows = service.of_campaign(
            reader, caller().account_id, campaign_id, wanted.get("cursor"), wanted["limit"]
        )
    return _page(rows, wanted["limit"])


@bp.post("/campaigns/records/<string:record_id>/appeal")
@scoped("nodes")
@raises(RecordNotFound, DisputeWindowOver, AlreadyDisputed, DisputeLimit)
@bp.arguments(schemas.AppealIn)
@bp.response(201, schemas.DisputeOut)
@bp.doc(operationId="appealRecord")
def appeal(body: dict[str, Any], record_id: str) -> dict[str, Any]:
    """Say that a rejected record of your nodes should have been accepted, and why.

    Possible for as long after the rejection as a dispute is after an acceptance. Its reward is set
    aside if the campaign has as much left, and paid if the appeal is upheld.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.appeal(
            tx,
            caller().account_id,
            record_id,
            reason=body["reason"],
            window_hours=_window_hours(),
        )
        return _dumped(made)

    return once(body, make)


@bp.get("/disputes")
@scoped("nodes")
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.DisputesOut)
@bp.doc(operationId="listDisputes")
def of_contributor(wanted: dict[str, Any]) -> dict[str, Any]:
    """The disputes and appeals about records that your nodes contributed, newest first."""
    with db.reading() as reader:
        rows = service.of_contributor(
            reader, caller().account_id, wanted.get("cursor"), wanted["limit"]
        )
    return _page(rows, wanted["limit"])
