"""Routes of disputes (payers, of accepted records) and appeals (contributors, of rejected ones)."""

from typing import Any
from uuid import UUID

from app.core import db
from app.core.http import Blueprint, caller, current_settings, raises, scoped
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.campaigns.campaigns.disputes import presentation, schemas, service, store
from app.domains.campaigns.campaigns.disputes.service import (
    AlreadyDisputed,
    DisputeLimit,
    DisputeWindowOver,
)
from app.domains.campaigns.campaigns.service import CampaignNotFound, RecordNotFound

disputes = Blueprint(
    "disputes",
    __name__,
    url_prefix="/v1",
    description="Disputes and appeals of wrong decisions about records.",
    preview=True,
)


@disputes.post(
    "/campaigns/<camp:campaign_id>/records/<crec:record_id>/dispute", operation="disputeRecord"
)
@scoped("campaigns")
@raises(CampaignNotFound, RecordNotFound, DisputeWindowOver, AlreadyDisputed, DisputeLimit)
@disputes.arguments(schemas.DisputeIn)
@disputes.response(201, schemas.DisputeOut)
def dispute(body: dict[str, Any], campaign_id: UUID, record_id: UUID) -> dict[str, Any]:
    """Dispute an accepted record of your campaign.

    Allowed while its reward is pending (72 hours by default). Accounts that have not voted on it
    judge it again, or the operator decides. Its rewards are frozen until then and return to your
    campaign if the dispute is upheld.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.dispute(
            tx,
            caller().account_id,
            campaign_id,
            record_id,
            category=body["category"],
            reason=body["reason"],
            window_hours=current_settings().rewards_pending_hours,
        )
        return {"dispute": presentation.dispute(made)}

    return once(body, make, schemas.DisputeOut)


@disputes.get("/campaigns/<camp:campaign_id>/disputes", operation="listCampaignDisputes")
@scoped("campaigns")
@raises(CampaignNotFound)
@disputes.arguments(PageIn, location="query")
@disputes.response(200, schemas.DisputesOut)
def of_campaign(wanted: dict[str, Any], campaign_id: UUID) -> dict[str, Any]:
    """List disputes and appeals of your campaign, newest first."""
    with db.reading() as reader:
        rows = service.of_campaign(
            reader, caller().account_id, campaign_id, wanted.get("cursor"), wanted["limit"]
        )
    return page("disputes", rows, wanted["limit"], presentation.dispute)


@disputes.post("/campaigns/records/<crec:record_id>/appeal", operation="appealRecord")
@scoped("nodes")
@raises(RecordNotFound, DisputeWindowOver, AlreadyDisputed, DisputeLimit)
@disputes.arguments(schemas.AppealIn)
@disputes.response(201, schemas.DisputeOut)
def appeal(body: dict[str, Any], record_id: UUID) -> dict[str, Any]:
    """Appeal the rejection of a record of your nodes.

    Allowed for as long after the rejection as disputes after an acceptance. Accounts that have not
    voted on it judge it again, or the operator decides, who decides alone about a copy of another
    record. An appeal that is undecided after seven days is rejected. The reward is reserved if the
    campaign has enough funds, and paid if the appeal is upheld, unless another record says the same
    by then (`duplicate_of`).
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.appeal(
            tx,
            caller().account_id,
            record_id,
            reason=body["reason"],
            window_hours=current_settings().rewards_pending_hours,
        )
        return {"dispute": presentation.dispute(made)}

    return once(body, make, schemas.DisputeOut)


@disputes.get("/disputes", operation="listDisputes")
@scoped("nodes")
@disputes.arguments(PageIn, location="query")
@disputes.response(200, schemas.DisputesOut)
def of_contributor(wanted: dict[str, Any]) -> dict[str, Any]:
    """List disputes and appeals of your nodes' records, newest first."""
    with db.reading() as reader:
        rows = store.of_contributor(
            reader, caller().account_id, wanted.get("cursor"), wanted["limit"] + 1
        )
    return page("disputes", rows, wanted["limit"], presentation.dispute)
