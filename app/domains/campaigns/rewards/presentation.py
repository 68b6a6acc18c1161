"""Rewards and payouts as their owner sees them."""

from datetime import datetime, timedelta

from app.core.http.fields import RowView
from app.domains.campaigns.rewards.payout_store import Payout
from app.domains.campaigns.rewards.store import RewardEntry


def entry(row: RewardEntry, pending_hours: float) -> RowView:
    return RowView(
        row,
        record_version=row.version,
        state="frozen" if row.frozen else row.state,
        available_at=_available_at(row, pending_hours),
    )


def _available_at(row: RewardEntry, pending_hours: float) -> datetime | None:
    if row.state == "available":
        return row.ended_at
    if row.state == "returned" or row.frozen:
        return None
    return row.created_at + timedelta(hours=pending_hours)


def payout(row: Payout) -> RowView:
    return RowView(row, status=row.state)
