"""Campaigns over HTTP: what is refused, and what owners get back."""

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.campaigns.campaigns import service
from app.domains.campaigns.campaigns.records import record_store
from app.domains.money.ledger import store as ledger_store
from tests import builders
from tests.caller import Caller
from tests.integration.campaigns.market import Market

CAMPAIGNS = "/v1/campaigns"


def signed_in(client: FlaskClient, settings: Settings, account_id: UUID) -> Caller:
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, account_id)
    return Caller(client, {"Authorization": f"Bearer {token}"})


@pytest.fixture
def ada(client: FlaskClient, settings: Settings) -> Caller:
    """Who has a credit of ten dollars."""
    with db.transaction() as tx:
        account_id = builders.account(tx)
        builders.credit(tx, account_id, "10")
    return signed_in(client, settings, account_id)


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
def made(ada: Caller) -> dict[str, Any]:
    answer: dict[str, Any] = ada.post(CAMPAIGNS, body()).get_json()
    return answer


@pytest.fixture
def path(made: dict[str, Any]) -> str:
    return f"{CAMPAIGNS}/{made['id']}"


def test_a_new_campaign_waits_for_funds_and_names_its_reward(
    ada: Caller, made: dict[str, Any]
) -> None:
    assert made["state"] == "awaiting_funds"
    assert made["reward_per_record"] == "0.5"
    assert made["cadence"] == "7d"
    assert made["forecast"] == {"runs_left": None, "records_left": 0}
    assert list(made["schema"]["properties"]) == ["title", "summary", "url", "published_at"]
    assert ada.get(CAMPAIGNS).headers["X-API-Status"] == "preview"


def test_a_wrong_member_is_named(ada: Caller) -> None:
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
        answer = ada.post(CAMPAIGNS, body(pointer, value))
        error = answer.get_json()["error"]
        assert answer.status_code == 400, pointer
        assert any(each["field"].startswith(pointer) for each in error["details"]), pointer


def test_a_budget_that_leaves_no_unit_for_a_record_is_refused(ada: Caller) -> None:
    answer = ada.post(CAMPAIGNS, body("/reward_budget/amount", "0.000000001"))
    assert answer.get_json()["error"]["code"] == "reward_too_small"


def test_funding_begins_it_and_moves_credit(ada: Caller, path: str) -> None:
    funded = ada.post(f"{path}/fund", {"amount": "5"}).get_json()
    assert (funded["state"], funded["funded"], funded["spent"]) == ("active", "5", "0")
    assert funded["next_run_at"] is not None
    entries = ada.get(f"{path}/ledger").get_json()["entries"]
    assert [(each["kind"], each["amount"]) for each in entries] == [("escrow", "5")]


def test_more_than_the_account_has_is_not_taken(ada: Caller, path: str) -> None:
    answer = ada.post(f"{path}/fund", {"amount": "11"})
    assert answer.status_code == 402
    assert answer.get_json()["error"]["code"] == "insufficient_credit"


def test_funding_with_one_key_moves_credit_once(ada: Caller, path: str) -> None:
    once = {"Idempotency-Key": "once"}
    first, again = (ada.post(f"{path}/fund", {"amount": "2"}, **once).get_json() for _ in range(2))
    assert again == first
    assert first["funded"] == "2"


def test_records_are_exported_by_accept(ada: Caller, path: str) -> None:
    columns = b"_id,_url,_state,_version,_verified_at,_unsure,title,summary,url,published_at"
    for accept, begins in (("application/x-ndjson", b""), ("text/csv", columns)):
        answer = ada.get(f"{path}/records", Accept=accept)
        assert answer.content_type.startswith(accept)
        assert answer.data.startswith(begins)


def test_an_owner_judges_a_record_and_that_decides_nothing(
    client: FlaskClient, market: Market, settings: Settings
) -> None:
    campaign = market.funded()
    market.collect()
    [found, *_] = market.records(campaign, "candidate")
    owner = signed_in(client, settings, market.account_id)
    record = ids.public(Noun.CAMPAIGN_RECORD, found["id"])
    address = f"{CAMPAIGNS}/{market.id(campaign)}/records/{record}/judgement"
    for _ in range(2):
        answer = owner.ask("PUT", address, json={"verdict": "reject"}).get_json()
        assert (answer["owner_verdict"], answer["state"]) == ("reject", "candidate")
    other = owner.ask("PUT", address, json={"verdict": "accept"})
    assert (other.status_code, other.get_json()["error"]["code"]) == (409, "record_decided")


@pytest.mark.parametrize("path_of", ["{path}", CAMPAIGNS])
def test_what_returns_while_balances_are_read_is_not_shown_as_spent(
    ada: Caller, path: str, monkeypatch: pytest.MonkeyPatch, path_of: str
) -> None:
    ada.post(f"{path}/fund", {"amount": "5"})
    read = ledger_store.balances_of

    def cancel() -> None:
        with db.transaction() as tx:
            account_id, id = tx.execute("select account_id, id from campaigns").fetchone() or ()
            service.cancel(tx, account_id, id)

    def meanwhile(*of: Any) -> Any:
        with ThreadPoolExecutor(1) as other:
            other.submit(cancel).result()
        return read(*of)

    monkeypatch.setattr(ledger_store, "balances_of", meanwhile)
    answer = ada.get(path_of.format(path=path)).get_json()
    (shown,) = answer.get("campaigns", [answer])
    money = {name: shown[name] for name in ("state", "funded", "available", "spent", "refunded")}
    assert money == {
        "state": "active", "funded": "5", "available": "5", "spent": "0", "refunded": "0"
    }  # fmt: skip


def test_what_is_accepted_while_statistics_are_read_is_in_all_of_them_or_in_none(
    client: FlaskClient, settings: Settings, market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = market.funded(target=4, amount="4")
    market.collect()
    read = record_store.tally

    def meanwhile(*of: Any) -> Any:
        with ThreadPoolExecutor(1) as other:
            other.submit(market.decide, most=1).result()
        return read(*of)

    monkeypatch.setattr(record_store, "tally", meanwhile)
    owner = signed_in(client, settings, market.account_id)
    path = f"{CAMPAIGNS}/{market.id(campaign)}/statistics"
    shown = owner.get(path).get_json()
    assert (shown["records"]["accepted"], shown["spending"]) == (0, [])
