"""Discovery: what is found, page by page, and what caches and browsers are told."""

import random
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.core import db
from tests.integration.providers.conftest import MODEL, Provider, problem

PATH = "/public/provider-offers"
STATES = ("available", "busy", "offline")


def discover(client: FlaskClient, **query: str) -> dict[str, Any]:
    answer = client.get(PATH, query_string={"model": MODEL, **query})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.get_json()
    return found


def published(provider: Provider, device_id: str, **said: Any) -> UUID:
    id = provider.offer(device_id=device_id, **said)
    provider.publish(id, name=device_id)
    return id


def test_offers_of_exactly_the_model_are_found(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    wanted = published(ada, "a")
    for model in (MODEL.upper(), f"{MODEL}-x", MODEL[:-1]):
        published(ada, "a", model=model)
    assert [offer["offer_id"] for offer in discover(client)["offers"]] == [str(wanted)]


def test_a_model_nobody_offers_is_an_empty_page(client: FlaskClient) -> None:
    assert discover(client, model="x") == {"offers": [], "has_more": False, "next_cursor": None}


@pytest.mark.parametrize("model", ["", "m" * 161])
def test_a_model_has_1_to_160_characters(client: FlaskClient, model: str) -> None:
    refused = client.get(PATH, query_string={"model": model})
    assert problem(refused) == (400, "validation_failed")
    assert client.get(PATH, query_string={"model": "\U0001f9ed" * 160}).status_code == 200


def test_another_query_fails_validation(client: FlaskClient) -> None:
    for query in ("", "model=a&model=a", "model=a&limit=3", "model=a&cursor=x", "model=%00"):
        assert problem(client.get(f"{PATH}?{query}")) == (400, "validation_failed"), query


def test_usable_offers_stand_first_in_a_page(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    for device_id, silent_seconds, in_flight in (("c", None, 0), ("b", 0, 1), ("a", 0, 0)) * 2:
        device = f"{device_id}{random.random()}"
        published(ada, device, silent_seconds=silent_seconds, in_flight=in_flight)
    offers = discover(client)["offers"]
    assert [offer["availability"] for offer in offers] == [s for s in STATES for _ in range(2)]
    for first, second in zip(offers[::2], offers[1::2], strict=True):
        assert first["offer_id"] < second["offer_id"]


def test_a_provider_shows_its_offers_offline_ones_too(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    published(ada, "a", silent_seconds=None)
    published(ada, "b", model="another")
    offers = client.get("/public/providers/ada").get_json()["offers"]
    assert [(o["public_name"], o["availability"]) for o in offers] == [
        ("b", "available"),
        ("a", "offline"),
    ]


def test_one_offer_shows_its_current_price(ada: Provider, client: FlaskClient) -> None:
    ada.save_profile()
    id = published(ada, "a")
    ada.offer(device_id="a", rates=("7", "8.10"))
    offer = client.get(f"{PATH}/{id}").get_json()
    assert (offer["pricing_revision"], offer["rates"]) == (2, {"input": "7", "output": "8.1"})


def test_an_offer_that_is_not_public_is_unavailable(client: FlaskClient) -> None:
    for id in (str(UUID(int=1)), "x", UUID(int=1).hex, "a%00b"):
        assert problem(client.get(f"{PATH}/{id}")) == (404, "provider_offer_unavailable"), id


def test_a_provider_that_is_not_public_is_not_found(ada: Provider, client: FlaskClient) -> None:
    for handle in ("nobody", "ADA", "a", "ada%0A", "%00ada", "ada%20"):
        ada.save_profile()
        assert problem(client.get(f"/public/providers/{handle}")) == (404, "provider_not_found")


# A walk over a table that changes, at its real page size.

FILL = """
    with device as (
        insert into provider_devices (account_id, device_id, in_flight, capacity, seen_at)
        select %(account_id)s, id::text, 0, 1, now() from unnest(%(ids)s::uuid[]) as given (id)
    )
    insert into provider_offers (id, account_id, device_id, model, model_revision,
        pricing_revision, input_rate, output_rate, public_name, published, listed)
    select id, %(account_id)s, id::text, %(model)s, 'r1', 1, 0, 0, 'x', true, true
    from unnest(%(ids)s::uuid[]) as given (id)
    """
PRICE = """
    insert into provider_offer_prices (offer_id, revision, input_rate, output_rate)
    select id, 1, 0, 0 from unnest(%(ids)s::uuid[]) as given (id)
    """
TURN = """
    update provider_devices set in_flight = %(in_flight)s, seen_at = %(seen_at)s
    where device_id = any(%(ids)s::text[])
    """


def fill(provider: Provider, ids: list[UUID]) -> None:
    with db.transaction() as tx:
        tx.execute(FILL, {"account_id": provider.account_id, "model": MODEL, "ids": ids})
        tx.execute(PRICE, {"ids": ids})


def change(
    provider: Provider, chance: random.Random, always: list[UUID], strays: list[UUID]
) -> None:
    """Some strays go, others come, and many offers change what they are."""
    fresh = [UUID(int=chance.getrandbits(128), version=4) for _ in range(60)]
    fill(provider, fresh)
    gone, strays[:] = strays[::2], [*strays[1::2], *fresh]
    with db.transaction() as tx:
        tx.execute("delete from provider_offers where id = any(%s)", [gone])
        for seen_at in ("now", "-infinity"):
            some = [str(id) for id in chance.sample(always, len(always) // 3)]
            in_flight = chance.randrange(2)
            tx.execute(TURN, {"ids": some, "in_flight": in_flight, "seen_at": seen_at})


def walk(client: FlaskClient, path: str, query: dict[str, str]) -> Iterator[list[dict[str, Any]]]:
    while True:
        page = client.get(path, query_string=query).get_json()
        ids = [offer["offer_id"] for offer in page["offers"]]
        assert len(ids) <= 200
        assert page["next_cursor"] == (max(ids) if page["has_more"] else None)
        yield page["offers"]
        if page["next_cursor"] is None:
            return
        query = {**query, "cursor": page["next_cursor"]}


@pytest.mark.parametrize("route", ["discovery", "provider"])
@settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 2**32), size=st.integers(350, 650))
def test_a_walk_sees_what_is_always_there_exactly_once(
    ada: Provider, client: FlaskClient, route: str, seed: int, size: int
) -> None:
    chance = random.Random(seed)
    always = [UUID(int=chance.getrandbits(128), version=4) for _ in range(size)]
    strays = [UUID(int=chance.getrandbits(128), version=4) for _ in range(100)]
    ada.save_profile()
    with db.transaction() as tx:
        tx.execute("delete from provider_offers")
        tx.execute("delete from provider_devices")
    fill(ada, always + strays)
    path, query = {
        "discovery": (PATH, {"model": MODEL}),
        "provider": ("/public/providers/ada", {}),
    }[route]
    seen: list[str] = []
    for offers in walk(client, path, query):
        states = [STATES.index(offer["availability"]) for offer in offers]
        assert states == sorted(states)
        seen += [offer["offer_id"] for offer in offers]
        change(ada, chance, always, strays)
    assert len(seen) == len(set(seen))
    assert {str(id) for id in always} <= set(seen)


# What caches and browsers are told.


@pytest.fixture
def public_paths(ada: Provider) -> list[str]:
    ada.save_profile()
    id = published(ada, "a")
    return [f"{PATH}?model={MODEL}", f"{PATH}/{id}", "/public/providers/ada"]


def test_public_answers_may_be_kept_for_five_seconds(
    public_paths: list[str], client: FlaskClient
) -> None:
    for path in public_paths:
        answer = client.get(path)
        assert answer.headers["Cache-Control"] == "public, max-age=5"
        assert answer.headers["ETag"].startswith('W/"')


def test_who_has_the_answer_is_not_sent_it_again(
    public_paths: list[str], client: FlaskClient, ada: Provider
) -> None:
    for path in public_paths:
        headers = {"If-None-Match": client.get(path).headers["ETag"]}
        again = client.get(path, headers=headers)
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["Cache-Control"] == "public, max-age=5"
        ada.save_profile(display_name=path[:40])
        assert client.get(path, headers=headers).status_code == 200


def test_pages_of_any_origin_may_read_what_is_public(
    public_paths: list[str], client: FlaskClient
) -> None:
    for path in [*public_paths, f"{PATH}/x"]:
        headers = client.get(path, headers={"Origin": "https://example.org"}).headers
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert "ETag" in headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in headers


def test_a_refusal_is_kept_by_nobody(client: FlaskClient) -> None:
    for path in (PATH, f"{PATH}/x", "/public/providers/x", "/public/providers/x/avatar"):
        assert client.get(path).headers["Cache-Control"] == "no-store"


def test_what_owners_read_is_kept_by_nobody_and_for_no_other_origin(ada: Provider) -> None:
    for path in ("/v1/provider-profile", "/v1/provider-offers", "/v1/provider-profile/avatar"):
        headers = ada.call("GET", path).headers
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers
