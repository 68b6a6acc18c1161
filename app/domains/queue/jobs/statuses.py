"""The status of the job behind a noun, as callers see it: the same five words for every noun."""

from typing import Final

STATUS_OF_STATE: Final = {
    "pending": "pending",
    "queued": "running",  # accepted is running: a worker picks it up at once
    "dispatched": "running",
    "running": "running",
    "waiting": "running",  # its parts are at work
    "succeeded": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}
STATUSES: Final = ("pending", "running", "completed", "failed", "cancelled")


def states_of(status: str) -> list[str]:
    return [state for state, shown in STATUS_OF_STATE.items() if shown == status]
