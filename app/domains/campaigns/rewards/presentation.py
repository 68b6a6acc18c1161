"""Rewards and payouts as their owner sees them."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from app.core import ids
from app.core.ids import Noun
from app.domains.campaigns.rewards.payout_store import Payout
from app.domains.campaigns.rewards.store import RewardEntry


def entry(row: RewardEntry, pending_hours: float) -> dict[str, Any]:
    """As the schema RewardEntry describes it."""
    return {
        "id": row.id,
        "token": row.token,
        "amount": row.amount,
        "role": row.role,
        "campaign_id": _public(Noun.CAMPAIGN, row.campaign_id),
        "record_id": _public(Noun.CAMPAIGN_RECORD, row.record_id),
        "record_version": row.version,
        "chat_id": _public(Noun.CHAT, row.chat_id),
        "verdict": row.verdict,
        "why": row.why,
        "state": "frozen" if row.frozen else row.state,
        "available_at": _available_at(row, pending_hours),
        "created_at": row.created_at,
    }


def _public(noun: Noun, id: UUID | None) -> str | None:
    return None if id is None else ids.public(noun, id)


def _available_at(row: RewardEntry, pending_hours: float) -> datetime | None:
    if row.state == "available":
        return row.ended_at
    if row.state == "returned" or row.frozen:
        return None
    return row.created_at + timedelta(hours=pending_hours)


def payout(row: Payout) -> dict[str, Any]:
    """As the schema Payout describes it."""
    return {
        "id": row.id,
        "token": row.token,
        "amount": row.amount,
        "destination": row.destination,
        "status": row.state,
        "reference": row.reference,
        "reason": row.reason,
        "created_at": row.created_at,
        "ended_at": row.ended_at,
    }
