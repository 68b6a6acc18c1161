"""Maturity of earnings: they become available when their window for disputes is over."""

from collections.abc import Sequence
from typing import Final

from app.core.db import Tx
from app.domains.campaigns.rewards import store
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerLine
from app.domains.queue.jobs import kinds

KIND = kinds.register("rewards.mature", queue="ledger", deadline_seconds=300, every_seconds=300)
MOST_MATURED: Final = 500
"""Entries that one job deals with."""


def mature(tx: Tx, pending_hours: float, most: int = MOST_MATURED) -> int:
    """Make entries of one version available, those of the oldest first; returns how many.

    One version, so that the transaction posts one transfer: two could wait for each other.
    """
    matured = store.mature(tx, pending_hours * 3_600, most)
    make_available(tx, matured)
    return len(matured)


def make_available(tx: Tx, entries: Sequence[store.MovedEntry]) -> None:
    """Post the transfer of entries that became available; the first of them names it."""
    if not entries:
        return
    lines = [
        LedgerLine(entry.account_id, kind, sign * entry.amount)
        for entry in entries
        for kind, sign in (("pending", -1), ("available", 1))
    ]
    first = min(entry.id for entry in entries)
    ledger.post(tx, f"mature:{first}", "window over", entries[0].token, *lines)
