"""Nodes as their owner and they themselves see them."""

import random
from typing import Any

from app.core.http.fields import RowView
from app.domains.providers.nodes import service
from app.domains.providers.nodes.store import Node

HEARTBEAT_SECONDS = 15.0


def node(row: Node) -> RowView:
    limits = {"work": row.work, "capacity": row.capacity, "max_bytes": row.max_bytes}
    return RowView(
        row,
        capabilities={**limits, **row.options},
        availability=_availability(row),
        former_token_until=row.former_until,
    )


def _availability(row: Node) -> str:
    if row.silent:
        return "offline"
    return "paused" if row.idle else "available"


def new(made: service.NewNode) -> dict[str, Any]:
    return {"node": node(made.node), "node_token": made.token}


def heartbeat(row: Node) -> RowView:
    """With a time for the next one: nodes that began together spread out."""
    seconds = HEARTBEAT_SECONDS * random.uniform(0.8, 1.2)  # noqa: S311 (spreads load)
    return RowView(row, next_seconds=round(seconds, 1))
