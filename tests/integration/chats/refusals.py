"""What makes the server refuse a chat that selects an offer, and how, for the clients' tests."""

from typing import Any

from app.core import db
from tests import chatting
from tests.integration.chats.conftest import Stage


def _unknown_offer(stage: Stage) -> dict[str, Any]:
    return {
        "selection": {**stage.node.selection, "offer_id": "0" * 8 + "-0000-4000-8000-" + "0" * 12}
    }


def _hidden_offer(stage: Stage) -> dict[str, Any]:
    with db.transaction() as tx:
        tx.execute("update provider_offers set published = false, listed = false")
    return {}


def _another_model(stage: Stage) -> dict[str, Any]:
    return {"model": "example/other"}


def _another_price(stage: Stage) -> dict[str, Any]:
    return {"selection": {**stage.node.selection, "pricing_revision": 2}}


def _no_credit(stage: Stage) -> dict[str, Any]:
    _, stage.key = chatting.consumer(stage.settings, credit="0.0001")
    return {}


def _silent(stage: Stage) -> dict[str, Any]:
    with db.transaction() as tx:
        tx.execute("update provider_devices set seen_at = now() - interval '1 minute'")
    return {}


REFUSED = [
    (_unknown_offer, 404, "provider_offer_unavailable", None),
    (_hidden_offer, 404, "provider_offer_unavailable", None),
    (_another_model, 400, "model_mismatch", None),
    (_another_price, 409, "pricing_revision_changed", "false"),
    (_no_credit, 402, "insufficient_credit", "false"),
    (_silent, 503, "provider_not_responding", None),
]
"""Each makes it so and returns what else to ask for; status, code and `x-should-retry` follow."""
