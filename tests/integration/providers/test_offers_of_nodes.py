"""Offers made from the models that a node serves: reviewed, priced in revisions, taken back."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.domains.providers.nodes import service as nodes
from app.domains.providers.providers import price_quotes, saved_offers, terms
from tests.integration.providers.conftest import MODEL, Provider, problem

NODES = "/v1/nodes"
OFFERS = "/v1/provider-offers"


def served(model: str = MODEL, **changes: Any) -> dict[str, Any]:
    return {
        "model": model,
        "revision": "r1",
        "rates": {"input": "0.25", "output": "1.5"},
        "max_context": 8192,
        **changes,
    }


def capabilities(*models: dict[str, Any]) -> dict[str, Any]:
    return {"work": ["chat"], "models": list(models)}


class Node:
    """Registered by its owner with these models."""

    def __init__(self, owner: Provider, *models: dict[str, Any]) -> None:
        self._owner = owner
        body = {"name": "cellar", "capabilities": capabilities(*models)}
        made = owner.call("POST", NODES, body).get_json()
        self.path = f"{NODES}/{made['node']['id']}"
        self._headers = {"Authorization": f"Bearer {made['node_token']}"}

    def serves(self, *models: dict[str, Any]) -> None:
        """From now on these and no others."""
        body = {"capabilities": capabilities(*models)}
        assert self._owner.call("PATCH", self.path, body).status_code == 200

    def heartbeat(self, *serving: str) -> None:
        body = {"in_flight": 0, "serving": list(serving)}
        answer = self._owner.client.post(f"{self.path}/heartbeat", json=body, headers=self._headers)
        assert answer.status_code == 200

    def delete(self) -> None:
        assert self._owner.call("DELETE", self.path).status_code == 204


def own(provider: Provider) -> list[dict[str, Any]]:
    offers: list[dict[str, Any]] = provider.call("GET", OFFERS).get_json()["offers"]
    return offers


def only(provider: Provider) -> dict[str, Any]:
    (offer,) = own(provider)
    return offer


def public(client: FlaskClient) -> list[str]:
    answer = client.get("/public/provider-offers", query_string={"model": MODEL}).get_json()
    return [offer["offer_id"] for offer in answer["offers"]]


def is_served(provider: Provider) -> bool:
    with db.transaction() as tx:
        quote = price_quotes.quote(tx, UUID(only(provider)["offer_id"]))
    return quote is not None and quote.serving


@pytest.fixture
def published(ada: Provider) -> Node:
    """A node whose offer is public."""
    ada.save_profile()
    node = Node(ada, served())
    ada.publish(only(ada)["offer_id"])
    node.heartbeat(MODEL)
    return node


def test_each_model_of_a_new_node_is_an_unpublished_offer_at_its_first_price(ada: Provider) -> None:
    Node(ada, served(), served("example/other", rates={"input": "0", "output": "0.000000001"}))
    offers = {offer["model"]: offer for offer in own(ada)}
    assert set(offers) == {MODEL, "example/other"}
    assert {(o["published"], o["pricing_revision"]) for o in offers.values()} == {(False, 1)}
    assert offers["example/other"]["rates"] == {"input": "0", "output": "0.000000001"}
    assert offers[MODEL]["public_name"] == "cellar"


def test_a_revision_that_the_operator_does_not_know_needs_review(ada: Provider) -> None:
    with db.transaction() as tx:
        saved_offers.enable_edition(tx, MODEL, "r1")
    node = Node(ada, served(), served("example/other"))
    reviewed = {offer["model"]: offer["needs_review"] for offer in own(ada)}
    assert reviewed == {MODEL: False, "example/other": True}
    node.serves(served(revision="r2"))
    assert (only(ada)["model_revision"], only(ada)["needs_review"]) == ("r2", True)


def test_another_rate_of_the_node_is_the_next_revision_of_the_price(ada: Provider) -> None:
    node = Node(ada, served())
    first = only(ada)["offer_id"]
    node.serves(served(rates={"input": "0.250", "output": "1.50"}))
    assert only(ada)["pricing_revision"] == 1
    node.serves(served(rates={"input": "0.3", "output": "1.5"}))
    assert (only(ada)["offer_id"], only(ada)["pricing_revision"]) == (first, 2)


def test_what_a_node_serves_is_what_its_heartbeats_say(ada: Provider, published: Node) -> None:
    assert is_served(ada)
    published.heartbeat()
    assert not is_served(ada)


def test_a_model_that_is_not_named_any_more_is_taken_back(
    ada: Provider, published: Node, client: FlaskClient
) -> None:
    published.serves(served("example/other"))
    assert only(ada)["model"] == "example/other"
    assert public(client) == []


def test_a_model_that_comes_back_is_the_same_offer_unpublished(
    ada: Provider, published: Node, client: FlaskClient
) -> None:
    before = only(ada)
    published.serves()
    published.serves(served(rates={"input": "9", "output": "9"}))
    after = only(ada)
    assert (after["offer_id"], after["published"]) == (before["offer_id"], False)
    assert after["pricing_revision"] == before["pricing_revision"] + 1
    assert public(client) == []


def test_the_offers_of_a_deleted_node_are_gone_and_their_prices_stay(
    ada: Provider, published: Node, client: FlaskClient
) -> None:
    id = only(ada)["offer_id"]
    assert public(client) == [id]
    published.delete()
    assert (own(ada), public(client)) == ([], [])
    gone = client.get(f"/public/provider-offers/{id}")
    assert gone.status_code == 404
    assert problem(ada.publish(id))[0] == 404
    with db.reading() as reader:
        sql = "select count(*) from provider_offer_prices where offer_id = %(id)s"
        assert db.value(reader, sql, id=id) == 1


def test_a_rate_that_is_none_makes_neither_node_nor_offer(ada: Provider) -> None:
    body = {
        "name": "cellar",
        "capabilities": capabilities(served(), served("b", rates={"input": "-1", "output": "1"})),
    }
    assert problem(ada.call("POST", NODES, body)) == (400, "validation_failed")
    assert own(ada) == []
    assert ada.call("GET", NODES).get_json()["nodes"] == []


def test_a_precision_is_that_of_its_model_revision(ada: Provider) -> None:
    node = Node(ada, served(precision="fp8"))
    id = UUID(only(ada)["offer_id"])
    ada.save_profile()
    ada.publish(id)

    def precision() -> str | None:
        with db.reading() as reader:
            return terms.offer_terms(reader, [id])[id].precision

    assert precision() == "fp8"
    node.serves(served())
    assert precision() == "fp8"  # it is left out, not taken back
    node.serves(served(revision="r2"))
    assert precision() is None


class HourAgo(datetime):
    """What a process reads whose clock is an hour behind."""

    @classmethod
    def now(cls, tz: object = None) -> "HourAgo":  # type: ignore[override]
        return cls.fromtimestamp((datetime.now(UTC) - timedelta(hours=1)).timestamp(), UTC)


def test_a_node_is_there_though_the_clock_of_the_process_it_calls_is_behind(
    ada: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Node(ada, served())
    with db.transaction() as tx:
        tx.execute("update nodes set admitted_at = now()")
    monkeypatch.setattr(nodes, "datetime", HourAgo, raising=False)
    node.heartbeat(MODEL)
    assert only(ada)["availability"] == "available"
