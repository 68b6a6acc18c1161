"""/v1/rewards: what work earned and why; /v1/payouts: having it sent."""

from typing import Any
from uuid import UUID

from app.core import db
from app.core.db.moments import one_moment
from app.core.http import Blueprint, account_only, caller, current_settings, raises, scoped
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.campaigns.rewards import payout_store, presentation, schemas, service, store
from app.domains.campaigns.rewards.payouts import (
    InsufficientRewards,
    PayoutNotFound,
    PayoutOpen,
    find_payout,
    request_payout,
)

rewards = Blueprint(
    "rewards",
    __name__,
    url_prefix="/v1/rewards",
    description="Rewards of your nodes and models.",
    preview=True,
)
payouts = Blueprint(
    "payouts",
    __name__,
    url_prefix="/v1/payouts",
    description="Payouts of available rewards, settled by the operator.",
    preview=True,
)


def _pending_hours() -> float:
    return current_settings().rewards_pending_hours


@rewards.get("", operation="showRewards")
@scoped("nodes")
@rewards.response(200, schemas.RewardsOut)
def show() -> dict[str, Any]:
    """Get your reward balances per token: pending, available, requested and paid.

    A reward is pending until `next_available_at`, while its record can be disputed.
    """
    with one_moment() as reader:
        return {"rewards": service.balances(reader, caller().account_id, _pending_hours())}


@rewards.get("/entries", operation="listRewardEntries")
@scoped("nodes")
@rewards.arguments(schemas.EntriesIn, location="query")
@rewards.response(200, schemas.RewardEntriesOut)
def entries(wanted: dict[str, Any]) -> dict[str, Any]:
    """List rewards with the record or chat that earned them, newest first."""
    with db.reading() as reader:
        rows = store.page(
            reader,
            caller().account_id,
            wanted.get("role"),
            wanted.get("campaign_id"),
            wanted.get("cursor"),
            wanted["limit"] + 1,
        )
    hours = _pending_hours()
    return page("entries", rows, wanted["limit"], lambda row: presentation.entry(row, hours))


@payouts.get("", operation="listPayouts")
@account_only
@payouts.arguments(PageIn, location="query")
@payouts.response(200, schemas.PayoutsOut)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your payouts, newest first."""
    with db.reading() as reader:
        account_id, before = caller().account_id, wanted.get("cursor")
        rows = payout_store.page(reader, account_id, before, wanted["limit"] + 1)
    return page("payouts", rows, wanted["limit"], presentation.payout)


@payouts.post("", operation="requestPayout")
@account_only
@raises(PayoutOpen, InsufficientRewards)
@payouts.arguments(schemas.PayoutIn)
@payouts.response(201, schemas.PayoutOut)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Request a payout of available rewards. One payout per token can be open.

    Payouts are manual. The operator sends the amount and adds a reference, or rejects the payout
    with a reason and returns the amount. Both cause the event `payout.settled`.
    """

    def make(tx: db.Tx) -> dict[str, Any]:
        made = request_payout(
            tx, caller().account_id, body["token"], body["amount"], body["destination"]
        )
        return {"payout": presentation.payout(made)}

    return once(body, make, schemas.PayoutOut)


@payouts.get("/<pout:payout_id>", operation="getPayout")
@account_only
@raises(PayoutNotFound)
@payouts.response(200, schemas.PayoutOut)
def show_payout(payout_id: UUID) -> dict[str, Any]:
    """Get a payout with its state and reference."""
    with db.reading() as reader:
        found = find_payout(reader, caller().account_id, payout_id)
    return {"payout": presentation.payout(found)}
