"""What the release before writes: it comes into the audit log by a trigger."""

from app.core.db import Tx
from app.domains.queue.jobs.operations import action_store


def forget(tx: Tx, most: int) -> int:
    """Delete lines older than a year, `most` at a time; returns how many."""
    return action_store.forget(tx, most)
