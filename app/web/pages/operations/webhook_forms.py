"""The forms of webhooks, and code with which receivers verify messages."""

from datetime import UTC, datetime
from typing import Any, Final

from werkzeug.datastructures import MultiDict

from app.domains.queue.webhooks.events import TYPES

EVENTS: Final = (("*", "All events, including future ones"), *((each, each) for each in TYPES))
OVERLAPS: Final = {"0": "Immediately", "1": "In 1 hour", "24": "In 24 hours"}
STATUSES: Final = ("waiting", "delivered", "failed")

REASONS: Final = {
    "gone": "The address answered 410 Gone.",
    "failing": "All deliveries failed for three days.",
    "owner": "You disabled it.",
}


def body(form: MultiDict[str, str]) -> dict[str, Any]:
    """As createWebhook and updateWebhook take it."""
    chosen = form.getlist("events")
    return {"url": form.get("url", "").strip(), "events": ["*"] if "*" in chosen else chosen}


def state(webhook: dict[str, Any]) -> tuple[str, str]:
    """A chip's word, and the words beside it."""
    if not webhook["enabled"]:
        return "disabled", "Disabled"
    paused = webhook["paused_until"]
    if paused and datetime.fromisoformat(paused) > datetime.now(UTC):
        return "paused", "Paused"
    if webhook["failing_since"]:
        return "degraded", "Failing"
    return "enabled", "Enabled"


def snippets(secret: str) -> list[tuple[str, str, str]]:
    return [
        (".env", "sh", f"HOOK_SECRET={secret}"),
        ("Verify a message in Python", "python", _CHECK),
    ]


_CHECK: Final = """\
import os

from citegrid.webhooks import verify

# body: the bytes as they came; headers: of the request
event = verify(body, headers, os.environ["HOOK_SECRET"])
print(event["type"], event["data"]["id"])"""
