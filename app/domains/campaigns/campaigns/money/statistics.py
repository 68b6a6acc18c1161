"""Statistics of a campaign so far: its records by state, its spending by reason, its burn-down."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from app.core.db import Reader
from app.core.db.costly import Costly
from app.domains.campaigns.campaigns.money.burn_down import FUNDED, BurnDown, Pace, burn_down
from app.domains.campaigns.campaigns.money.progress import CampaignProgress, progress_of
from app.domains.campaigns.campaigns.records import record_store
from app.domains.campaigns.campaigns.records.record_store import RecordCounts
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.money.ledger import store
from app.domains.money.ledger.store import Movement

_REFUNDED: Final = "refund"


@dataclass(frozen=True, slots=True)
class Statistics:
    """`spending` is what was spent for each reason; a negative amount came back."""

    records: RecordCounts
    spending: dict[str, Decimal]
    usual_run: Decimal | None
    burn_down: BurnDown


_statistics: Costly[Statistics] = Costly()


def statistics_of(reader: Reader, campaign: Campaign) -> Statistics:
    return _statistics.of((campaign.id, campaign.ended_at), lambda: _compute(reader, campaign))


def _compute(reader: Reader, campaign: Campaign) -> Statistics:
    state = progress_of(reader, campaign)
    movements = store.movements(reader, campaign.id, "escrow", "reserved")
    return Statistics(
        records=record_store.tally(reader, campaign.id),
        spending=_spending(movements),
        usual_run=state.usual_run,
        burn_down=burn_down(
            movements,
            until=campaign.ended_at or datetime.now(UTC),
            ends_at=campaign.ends_at,
            pace=_pace(campaign, state),
        ),
    )


def _spending(movements: Sequence[Movement]) -> dict[str, Decimal]:
    spending: dict[str, Decimal] = {}
    for each in movements:
        if each.why not in (FUNDED, _REFUNDED):
            spending[each.why] = spending.get(each.why, Decimal(0)) - each.amount
    return spending


def _pace(campaign: Campaign, state: CampaignProgress) -> Pace | None:
    """None before the first run, and for a campaign that is going to have none."""
    if not state.usual_run or state.next_run_at is None:
        return None
    return Pace(state.usual_run, state.next_run_at, timedelta(seconds=campaign.cadence_seconds))
