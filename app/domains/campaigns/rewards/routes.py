"""/v1/rewards: what work earned and why; /v1/payouts: having it sent."""

from typing import Any

from flask import current_app

from app.core import db
from app.core.config.settings import Settings
from app.core.http import Blueprint, account_only, caller, raises, scoped
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.campaigns.rewards import presentation, schemas, service
from app.domains.campaigns.rewards.payouts import (
    InsufficientRewards,
    PayoutNotFound,
    PayoutOpen,
    find_payout,
    list_payouts,
    request_payout,
)

rewards = Blueprint(
    "rewards",
    __name__,
    url_prefix="/v1/rewards",
    description="What your nodes earned, by whom it was paid and why.",
    preview=True,
)
payouts = Blueprint(
    "payouts",
    __name__,
    url_prefix="/v1/payouts",
    description="Have what is available sent to you; the operator settles it.",
    preview=True,
)

blueprints = (rewards, payouts)


def _pending_hours() -> float:
    settings: Settings = current_app.extensions["settings"]
    return settings.rewards_pending_hours


@rewards.get("")
@scoped("nodes")
@rewards.response(200, schemas.RewardsOut)
@rewards.doc(operationId="showRewards")
def show() -> dict[str, Any]:
    """What you have of each token: pending, available, requested as a payout, paid.

    A reward is pending while its record can be disputed; `next_available_at` says until when.
    """
    with db.transaction() as tx:  # one moment for all of its statements
        return {"rewards": service.balances(tx, caller().account_id, _pending_hours())}


@rewards.get("/entries")
@scoped("nodes")
@rewards.arguments(schemas.EntriesIn, location="query")
@rewards.response(200, schemas.RewardEntriesOut)
@rewards.doc(operationId="listRewardEntries")
def entries(wanted: dict[str, Any]) -> dict[str, Any]:
    """Every reward with the record or chat that earned it, newest first."""
    with db.reading() as reader:
        rows = service.entries(
            reader,
            caller().account_id,
            role=wanted.get("role"),
            campaign_id=wanted.get("campaign_id"),
            before=wanted.get("cursor"),
            limit=wanted["limit"],
        )
    hours = _pending_hours()
    return page("entries", rows, wanted["limit"], lambda row: presentation.entry(row, hours))


@payouts.get("")
@account_only
@payouts.arguments(PageIn, location="query")
@payouts.response(200, schemas.PayoutsOut)
@payouts.doc(operationId="listPayouts")
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """Your payouts, newest first, and what became of them."""
    with db.reading() as reader:
        rows = list_payouts(reader, caller().account_id, wanted.get("cursor"), wanted["limit"])
    return page("payouts", rows, wanted["limit"], presentation.payout)


@payouts.post("")
@account_only
@raises(PayoutOpen, InsufficientRewards)
@payouts.arguments(schemas.PayoutIn)
@payouts.response(201, schemas.PayoutOut)
@payouts.doc(operationId="requestPayout")
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Request that an available amount is sent to you. One request of each token can be open.

    Nothing is sent automatically: the operator sends it and notes the reference, or refuses with a
    reason, and then the amount is available again. Either is the event `payout.settled`.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        made = request_payout(
            tx, caller().account_id, body["token"], body["amount"], body["destination"]
        )
        answer: dict[str, Any] = schemas.PayoutOut().dump({"payout": presentation.payout(made)})
        return answer

    return once(body, make)


@payouts.get("/<string:payout_id>")
@account_only
@raises(PayoutNotFound)
@payouts.response(200, schemas.PayoutOut)
@payouts.doc(operationId="getPayout")
def show_payout(payout_id: str) -> dict[str, Any]:
    """A payout: whether it is settled, and with which reference."""
    with db.reading() as reader:
        found = find_payout(reader, caller().account_id, payout_id)
    return {"payout": presentation.payout(found)}
