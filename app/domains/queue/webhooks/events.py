"""Events: a type, a time and thin data. Whoever wants more reads the thing itself."""

from datetime import datetime
from typing import Any, Final

import orjson

from app.core.http.fields import rfc3339

EVERY: Final = "*"
"""Stands for all types, later ones too."""

TEST: Final = "webhook.test"
DISABLED: Final = "webhook.disabled"
ALERT: Final = "alert.raised"

TYPES: Final = (
    "job.completed",
    "job.failed",
    "job.cancelled",
    "job.changed",
    "job.failing",
    "run.completed",
    "run.skipped",
    "run.closed",
    "campaign.completed",
    "campaign.exhausted",
    "record.disputed",
    "corpus.ready",
    "document.failed",
    "node.paused",
    "payout.settled",
)
"""What an endpoint can choose. A test goes to itself, an alert to the endpoint that it names, and
`webhook.disabled` to all others."""

MOST_BYTES: Final = 20_000
_KEPT: Final = frozenset({"id", "version"})


def body(type: str, at: datetime, version: int, data: dict[str, Any]) -> bytes:
    """The final bytes. Of data that is too large the largest members are left out, by name."""
    kept, omitted = {**data, "version": version}, list[str]()
    while True:
        shown = {**kept, "omitted": omitted} if omitted else kept
        text = orjson.dumps({"type": type, "timestamp": rfc3339(at), "data": shown})
        spare = [name for name in kept if name not in _KEPT]
        if len(text) <= MOST_BYTES or not spare:
            return text
        largest = max(spare, key=lambda name: len(orjson.dumps(kept[name])))
        del kept[largest]
        omitted.append(largest)
