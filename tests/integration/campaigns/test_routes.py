"""Campaigns over HTTP: what is refused, and what owners get back."""

import copy
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from tests import builders
from tests.integration.campaigns.market import Market

Headers = dict[str, str]


@pytest.fixture
def owner(settings: Settings) -> Headers:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        builders.credit(tx, account_id, "10")
        return {"Authorization": f"Bearer {builders.access_token(tx, settings, account_id)}"}


def body(pointer: str = "", value: Any = None) -> dict[str, Any]:
    """A good body with one member changed."""
    made: dict[str, Any] = copy.deepcopy(builders.CAMPAIGN)
    node, *_ = made, None
    steps = pointer.split("/")[1:]
    for step in steps[:-1]:
        node = node[step]
    if steps:
        node[steps[-1]] = value
    return made


@pytest.fixture
def made(client: FlaskClient, owner: Headers) -> dict[str, Any]:
    answer: dict[str, Any] = client.post("/v1/campaigns", json=body(), headers=owner).get_json()
    return answer


def test_a_new_campaign_waits_for_funds_and_names_its_reward(made: dict[str, Any]) -> None:
    assert made["state"] == "awaiting_funds"
    assert made["reward_per_record"] == "0.5"
    assert made["cadence"] == "7d"
    assert made["forecast"] == {"runs_left": None, "records_left": 0}
    assert list(made["schema"]["properties"]) == ["title", "summary", "url", "published_at"]


def test_it_is_marked_as_a_preview(client: FlaskClient, owner: Headers) -> None:
    answer = client.get("/v1/campaigns", headers=owner)
    assert answer.headers["X-API-Status"] == "preview"


def test_a_wrong_member_is_named(client: FlaskClient, owner: Headers) -> None:
    for pointer, value in (
        ("/name", ""),
        ("/objective", "x" * 2_001),
        ("/data_requirements/sources", []),
        ("/data_requirements/freshness", "soon"),
        ("/data_requirements/records_target", 0),
        ("/reward_budget/token", "usd"),
        ("/reward_budget/amount", 5),
        ("/reward_budget/amount", "0"),
        ("/reward_budget/amount", "0.0000000001"),
        ("/validation/min_validators", 0),
        ("/validation/require_citations", "yes"),
        ("/schema", {"type": "object", "properties": {}}),
        ("/cadence", "1s"),
        ("/ends_at", "2020-01-01T00:00:00Z"),
        ("/unknown", 1),
    ):
        answer = client.post("/v1/campaigns", json=body(pointer, value), headers=owner)
        error = answer.get_json()["error"]
        assert answer.status_code == 400, pointer
        assert any(each["field"].startswith(pointer) for each in error["details"]), pointer


def test_a_budget_that_leaves_no_unit_for_a_record_is_refused(
    client: FlaskClient, owner: Headers
) -> None:
    answer = client.post(
        "/v1/campaigns", json=body("/reward_budget/amount", "0.000000001"), headers=owner
    )
    assert answer.get_json()["error"]["code"] == "reward_too_small"


def test_funding_begins_it_and_moves_credit(
    client: FlaskClient, owner: Headers, made: dict[str, Any]
) -> None:
    path = f"/v1/campaigns/{made['id']}"
    funded = client.post(f"{path}/fund", json={"amount": "5"}, headers=owner).get_json()
    assert (funded["state"], funded["funded"], funded["spent"]) == ("active", "5", "0")
    assert funded["next_run_at"] is not None
    entries = client.get(f"{path}/ledger", headers=owner).get_json()["entries"]
    assert [(each["kind"], each["amount"]) for each in entries] == [("escrow", "5")]


def test_more_than_the_account_has_is_not_taken(
    client: FlaskClient, owner: Headers, made: dict[str, Any]
) -> None:
    answer = client.post(f"/v1/campaigns/{made['id']}/fund", json={"amount": "11"}, headers=owner)
    assert answer.status_code == 402
    assert answer.get_json()["error"]["code"] == "insufficient_credit"


def test_funding_with_one_key_moves_credit_once(
    client: FlaskClient, owner: Headers, made: dict[str, Any]
) -> None:
    headers = {**owner, "Idempotency-Key": "once"}
    path = f"/v1/campaigns/{made['id']}/fund"
    first = client.post(path, json={"amount": "2"}, headers=headers)
    assert client.post(path, json={"amount": "2"}, headers=headers).get_json() == first.get_json()
    assert first.get_json()["funded"] == "2"


@pytest.mark.parametrize(
    ("accept", "begins"),
    [
        ("application/x-ndjson", b""),
        (
            "text/csv",
            b"_id,_url,_state,_version,_verified_at,_unsure,title,summary,url,published_at",
        ),
    ],
)
def test_records_are_exported_by_accept(
    client: FlaskClient, owner: Headers, made: dict[str, Any], accept: str, begins: bytes
) -> None:
    answer = client.get(f"/v1/campaigns/{made['id']}/records", headers={**owner, "Accept": accept})
    assert answer.content_type.startswith(accept)
    assert answer.data.startswith(begins)


@pytest.fixture
def candidate(market: Market, settings: Settings) -> tuple[str, Headers]:
    """The address of a record that nobody has decided, and its owner."""
    campaign = market.funded()
    market.collect()
    [found, *_] = market.records(campaign, "candidate")
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, market.account_id)
    record = ids.public(Noun.CAMPAIGN_RECORD, found["id"])
    address = f"/v1/campaigns/{market.id(campaign)}/records/{record}"
    return address, {"Authorization": f"Bearer {token}"}


def test_an_owner_judges_a_record_and_that_decides_nothing(
    client: FlaskClient, candidate: tuple[str, Headers]
) -> None:
    address, owner = candidate
    body = {"verdict": "reject"}
    for _ in range(2):
        answer = client.put(f"{address}/judgement", json=body, headers=owner).get_json()
        assert (answer["owner_verdict"], answer["state"]) == ("reject", "candidate")
    other = client.put(f"{address}/judgement", json={"verdict": "accept"}, headers=owner)
    assert (other.status_code, other.get_json()["error"]["code"]) == (409, "record_decided")
