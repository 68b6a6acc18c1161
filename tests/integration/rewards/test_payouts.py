"""What is available is requested, set aside, and settled or refused by the operator."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.audit import store as audit_store
from app.domains.campaigns.rewards import payout_store, payouts, store
from app.domains.campaigns.rewards.payouts import PayoutEnded, PayoutOpen
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks.terms import DeliveryTerms
from tests import builders
from tests.caller import Caller
from tests.integration.local.conftest import Run
from tests.integration.local.conftest import run as run

DESTINATION = "wallet 7"


@dataclass(frozen=True)
class Earner(Caller):
    """An account with 10 USD available."""

    id: UUID

    def request(self, amount: str = "4", **more: Any) -> Any:
        body = {"token": "USD", "amount": amount, "destination": DESTINATION, **more}
        return self.post("/v1/payouts", body)

    def balance(self) -> dict[str, str]:
        answer = self.get("/v1/rewards").get_json()
        (usd,) = answer["rewards"]
        return {name: usd[name] for name in ("available", "payable", "paid")}


@pytest.fixture
def earner(client: FlaskClient, settings: Settings) -> Earner:
    with db.transaction() as tx:
        id = builders.account(tx)
        builders.reward(tx, id, "10")
        token = builders.access_token(tx, settings, id)
    return Earner(client, {"Authorization": f"Bearer {token}"}, id)


def test_a_request_sets_its_amount_aside(earner: Earner) -> None:
    answer = earner.request("4.000000001")
    assert (answer.status_code, answer.get_json()["payout"]["status"]) == (201, "requested")
    assert answer.headers["X-API-Status"] == "preview"
    assert earner.balance() == {"available": "5.999999999", "payable": "4.000000001", "paid": "0"}


def test_what_is_settled_while_balances_are_read_is_not_shown_twice(
    earner: Earner, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = ids.lookup(Noun.PAYOUT, earner.request("4").get_json()["payout"]["id"])
    read = payout_store.paid

    def settle() -> None:
        with db.transaction() as tx:
            payouts.settle_payout(tx, id, "T-1")

    def meanwhile(*of: Any) -> dict[str, Decimal]:
        with ThreadPoolExecutor(1) as other:
            other.submit(settle).result()
        return read(*of)

    monkeypatch.setattr(payout_store, "paid", meanwhile)
    assert earner.balance() == {"available": "6", "payable": "4", "paid": "0"}


def test_one_request_of_a_token_can_be_open(earner: Earner) -> None:
    earner.request()
    assert earner.request().get_json()["error"]["code"] == "payout_open"


def test_of_many_at_once_one_is_taken(earner: Earner) -> None:
    def request(_: int) -> str:
        try:
            with db.transaction() as tx:
                payouts.request_payout(tx, earner.id, "USD", Decimal(1), DESTINATION)
        except PayoutOpen:
            return "open"
        return "taken"

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(request, range(6))) == ["open"] * 5 + ["taken"]


def test_more_than_is_available_is_refused_and_nothing_is_kept(earner: Earner) -> None:
    assert earner.request("10.000000001").get_json()["error"]["code"] == "insufficient_rewards"
    assert earner.client.get("/v1/payouts", headers=earner.headers).get_json()["payouts"] == []


def test_the_same_key_requests_once(earner: Earner) -> None:
    earner.headers["Idempotency-Key"] = "once"
    first, second = earner.request().get_json(), earner.request().get_json()
    assert first == second


def test_what_is_no_amount_is_refused(earner: Earner) -> None:
    answer = earner.request("0")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "validation_failed")


def test_settled_by_the_operator_it_is_paid_and_the_owner_hears_of_it(
    earner: Earner, run: Run, settings: Settings
) -> None:
    with db.transaction() as tx:
        terms = DeliveryTerms.of(settings)
        webhooks.create(tx, earner.id, "https://example.org/hook", ["payout.settled"], terms)
    payout_id = earner.request().get_json()["payout"]["id"]
    listed = run("payouts", "list").output
    assert "owner@example.org" in listed
    assert DESTINATION in listed
    assert run("payouts", "settle", payout_id, "--reference", " T\u00a01 ").exit_code == 0
    shown = earner.get(f"/v1/payouts/{payout_id}").get_json()
    assert (shown["payout"]["status"], shown["payout"]["reference"]) == ("settled", "T\u00a01")
    assert earner.balance() == {"available": "6", "payable": "0", "paid": "4"}
    with db.transaction() as tx:
        types = tx.execute("select type from webhook_events").fetchall()
    assert types == [("payout.settled",)]


def test_refused_it_is_available_again(earner: Earner) -> None:
    payout_id = ids.lookup(Noun.PAYOUT, earner.request().get_json()["payout"]["id"])
    with db.transaction() as tx:
        payouts.refuse_payout(tx, payout_id, "no such wallet")
    assert earner.balance() == {"available": "10", "payable": "0", "paid": "0"}
    assert earner.request("10").status_code == 201


def test_a_payout_ends_once(earner: Earner) -> None:
    payout_id = ids.lookup(Noun.PAYOUT, earner.request().get_json()["payout"]["id"])
    with db.transaction() as tx:
        payouts.settle_payout(tx, payout_id, "T-1")
    with pytest.raises(PayoutEnded), db.transaction() as tx:
        payouts.refuse_payout(tx, payout_id, "too late")
    assert earner.balance()["paid"] == "4"


def test_entries_are_filtered_by_role_and_campaign(earner: Earner) -> None:
    path = "/v1/rewards/entries"
    listed = earner.get(f"{path}?role=provider").get_json()
    assert [(each["amount"], each["state"]) for each in listed["entries"]] == [("10", "available")]
    for query in ("role=validator", "campaign_id=camp_aerxk6j2c5hnzb7qv3mfwd4lya"):
        empty = earner.get(f"{path}?{query}").get_json()
        assert empty["entries"] == []
    wrong = earner.get(f"{path}?campaign_id=camp_1")
    assert wrong.status_code == 400


def test_an_operator_thaws_what_an_account_earned_by_judging(earner: Earner, run: Run) -> None:
    with db.transaction() as tx:
        store.freeze_judging(tx, earner.id)
    assert "thawed" in run("rewards", "thaw", "owner@example.org").output
    assert "was not frozen" in run("rewards", "thaw", "owner@example.org").output
    with db.reading() as reader:
        events = audit_store.of_account(reader, earner.id, "rewards", None, 10)
    assert [event.action for event in events] == ["rewards.thawed"]


def test_accounts_that_were_paid_at_one_destination_are_linked(earner: Earner) -> None:
    with db.transaction() as tx:
        other = builders.account(tx, "other@example.org")
        builders.reward(tx, other, "1")
        for account in (earner.id, other):
            id = payouts.request_payout(tx, account, "USD", Decimal(1), DESTINATION).id
            payouts.settle_payout(tx, id, "T-1")
        assert list(payout_store.linked(tx, earner.id)) == [other]
