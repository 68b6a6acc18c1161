"""Behaviour of nodes and its consequences: pauses for who loses work, fewer draws for who declines.

Cheating is another matter: it is judged by account, not by node.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from app.core.db import Tx
from app.domains.providers.nodes import pause_store, pauses
from app.domains.providers.work import turn_store

LAST: Final = 20
"""Turns that are looked at."""
WITHIN_SECONDS: Final = 1800.0
MOST_LOST: Final = 4
LEAST_CLAIMS: Final = 10
MOST_DECLINED: Final = 0.5


def count_loss(tx: Tx, node_id: UUID) -> None:
    """A node fell silent with an item: the fifth of twenty within half an hour pauses it."""
    since = pause_store.counted_since(tx, node_id)
    if since is None:
        return
    recent = turn_store.recent_outcomes(tx, node_id, since, LAST, WITHIN_SECONDS)
    if sum(outcome in ("lost", "failed") for outcome in recent) > MOST_LOST:
        pauses.pause(tx, node_id)


def count_decline(tx: Tx, node_id: UUID) -> None:
    """A node gave an item back: free for half of what it claims, then it is passed over a while."""
    since = pause_store.counted_since(tx, node_id)
    if since is None:
        return
    recent = turn_store.recent_outcomes(tx, node_id, since, LAST, WITHIN_SECONDS)
    share = recent.count("declined") / max(len(recent), LEAST_CLAIMS)
    if len(recent) >= LEAST_CLAIMS and share > MOST_DECLINED:
        pause_store.pass_over(tx, node_id)


def count_losses(tx: Tx, node_ids: Iterable[UUID]) -> None:
    """Nodes said that they cannot do what another node then did."""
    for node_id in node_ids:
        count_loss(tx, node_id)
