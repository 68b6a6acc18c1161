"""Disputes and appeals as both sides see them."""

from typing import Any

from app.domains.campaigns.campaigns.disputes.store import Dispute


def dispute(row: Dispute) -> dict[str, Any]:
    """As the schema Dispute describes it."""
    return {
        "id": row.id,
        "kind": row.kind,
        "campaign_id": row.campaign_id,
        "record_id": row.record_id,
        "record_version": row.version,
        "category": row.category,
        "reason": row.reason,
        "status": row.state,
        "decided_by": row.decided_by,
        "opened_at": row.opened_at,
        "ends_at": row.ends_at,
        "decided_at": row.decided_at,
    }
