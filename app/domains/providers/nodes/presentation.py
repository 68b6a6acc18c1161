"""Nodes as their owner and they themselves see them."""

import random
from typing import Any

from app.domains.providers.nodes import service
from app.domains.providers.nodes.store import Node

HEARTBEAT_SECONDS = 15.0


def node(row: Node) -> dict[str, Any]:
    """As the schema Node describes it."""
    return {
        "id": row.id,
        "name": row.name,
        "capabilities": {
            "work": row.work,
            "capacity": row.capacity,
            "max_bytes": row.max_bytes,
            **row.options,
        },
        "availability": _availability(row),
        "seen_at": row.seen_at,
        "former_token_until": row.former_until,
        "created_at": row.created_at,
        **pause(row),
    }


def _availability(row: Node) -> str:
    if row.silent:
        return "offline"
    return "paused" if row.idle else "available"


def pause(row: Node) -> dict[str, Any]:
    """Whether it gets work, and why not."""
    return {
        "maintenance": row.maintenance,
        "paused_until": row.paused_until,
        "paused_reason": row.paused_reason,
    }


def new(made: service.NewNode) -> dict[str, Any]:
    """With the token, once."""
    return {"node": node(made.node), "node_token": made.token}


def heartbeat(row: Node) -> dict[str, Any]:
    """With a time for the next one: nodes that began together spread out."""
    seconds = HEARTBEAT_SECONDS * random.uniform(0.8, 1.2)  # noqa: S311 (spreads load)
    return {**pause(row), "next_seconds": round(seconds, 1)}
