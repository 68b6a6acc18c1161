"""Progress of campaigns: their money, their fresh records, when they go on, how far money goes.

Of many campaigns at once, with as many statements as of one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from app.core.db import Reader
from app.domains.campaigns.campaigns import budget
from app.domains.campaigns.campaigns.budget import Forecast
from app.domains.campaigns.campaigns.records import record_store
from app.domains.campaigns.campaigns.runs import run_store
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.money.ledger import store
from app.domains.queue.jobs import schedule_store


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """`available` is what no run has reserved; `usual_run` is what a run costs, or None."""

    available: Decimal
    reserved: Decimal
    spent: Decimal
    fresh_accepted: int
    next_run_at: datetime | None
    usual_run: Decimal | None
    forecast: Forecast


def progress_of(reader: Reader, campaign: Campaign) -> CampaignProgress:
    return progress_of_many(reader, [campaign])[campaign.id]


def progress_of_many(reader: Reader, campaigns: Sequence[Campaign]) -> dict[UUID, CampaignProgress]:
    ids = [campaign.id for campaign in campaigns]
    money = store.balances_of(reader, ids, "escrow", "reserved")
    fresh = record_store.fresh(reader, ids)
    usual = run_store.usual_costs(reader, ids)
    ticks = schedule_store.next_ticks(
        reader, [each.schedule_id for each in campaigns if each.schedule_id is not None]
    )
    return {
        campaign.id: _progress(
            campaign,
            available=money.get((campaign.id, "escrow", campaign.token), Decimal(0)),
            reserved=money.get((campaign.id, "reserved", campaign.token), Decimal(0)),
            fresh=fresh.get(campaign.id, 0),
            usual_run=usual.get(campaign.id),
            tick=None if campaign.schedule_id is None else ticks.get(campaign.schedule_id),
        )
        for campaign in campaigns
    }


def _progress(
    campaign: Campaign,
    *,
    available: Decimal,
    reserved: Decimal,
    fresh: int,
    usual_run: Decimal | None,
    tick: datetime | None,
) -> CampaignProgress:
    spent = max(Decimal(0), campaign.funded - campaign.refunded - available - reserved)
    return CampaignProgress(
        available=available,
        reserved=reserved,
        spent=spent,
        fresh_accepted=fresh,
        next_run_at=tick if campaign.state == "active" else None,
        usual_run=usual_run,
        forecast=budget.forecast(
            available, campaign.reward, wanted=campaign.records_target - fresh, usual_run=usual_run
        ),
    )
