"""Rewards, payouts and the wallet as pages."""

import json
from uuid import UUID, uuid4

import pytest
from flask import Flask

from app.core import db
from tests import builders
from tests.visiting import Visitor

PAYOUT = {"token": "USD", "amount": "2.5", "destination": "ada@bank.example", "key": "once"}


@pytest.fixture
def account_id(site: Flask) -> UUID:
    with db.transaction() as tx:
        return builders.account(tx, f"{uuid4()}@example.org")


@pytest.fixture
def earner(site: Flask, account_id: UUID) -> Visitor:
    with db.transaction() as tx:
        builders.reward(tx, account_id, "4.000000001")
    return Visitor(site, account_id)


def test_who_earned_nothing_is_told_how_to(browser: Visitor) -> None:
    page = browser.get("/rewards").text
    assert "No rewards yet" in page
    assert "Your first twelve votes are tests" in page
    assert "No rewards available" in browser.get("/rewards/payouts/new").text


def test_amounts_are_exact_and_entries_are_exported_as_filtered(earner: Visitor) -> None:
    assert "4.000000001 USD" in earner.get("/rewards").text
    assert "Nothing matches this filter" in earner.get("/rewards?role=validator").text
    with earner.get("/rewards.json?role=provider") as file:
        assert [row["amount"] for row in json.loads(file.data)] == ["4.000000001"]
    with earner.get("/rewards.json?role=validator") as file:
        assert json.loads(file.data) == []


def test_a_payout_is_asked_about_before_it_is_requested(earner: Visitor) -> None:
    asked = earner.post("/rewards/payouts", PAYOUT)
    assert "Confirm the payout" in asked.text
    assert "No payouts yet" in earner.get("/rewards/payouts").text
    sent = earner.post("/rewards/payouts", {**PAYOUT, "confirmed": "1"})
    assert sent.headers["Location"] == "/rewards/payouts"
    assert "ada@bank.example" in earner.get("/rewards/payouts").text


def test_a_payout_that_is_changed_keeps_what_was_typed(earner: Visitor) -> None:
    changed = earner.post("/rewards/payouts", {**PAYOUT, "confirmed": "1", "change": "1"}).text
    assert 'value="ada@bank.example"' in changed
    assert "Available: 4.000000001 USD" in changed
    assert "No payouts yet" in earner.get("/rewards/payouts").text


def test_all_disputes_are_on_a_page_of_their_own(earner: Visitor) -> None:
    assert "No disputes or appeals" in earner.get("/rewards/disputes").text


@pytest.mark.parametrize(("name", "value"), [("amount", "5"), ("destination", "<b>")])
def test_what_is_wrong_with_a_payout_is_told_at_its_field(
    earner: Visitor, name: str, value: str
) -> None:
    answer = earner.post("/rewards/payouts", {**PAYOUT, "confirmed": "1", name: value})
    assert answer.status_code == 422
    assert f'id="{name}-problem"' in answer.text


def test_an_appeal_of_nothing_is_told_at_its_field(earner: Visitor) -> None:
    reason = "The quote stands in the third paragraph of the page."
    answer = earner.post("/rewards/appeals", {"record": "crec_x", "reason": reason})
    assert answer.status_code == 422
    assert 'id="record-problem"' in answer.text


def test_billing_has_what_can_be_spent_and_says_that_payments_are_off(
    site: Flask, account_id: UUID
) -> None:
    visitor = Visitor(site, account_id)
    assert "No credit yet" in visitor.get("/billing").text
    with db.transaction() as tx:
        builders.credit(tx, account_id, "12.5")
    page = visitor.get("/billing").text
    assert "Payments are off" in page
    assert "Granted by the operator" in page
    with visitor.get("/wallet.csv") as file:
        assert file.text.splitlines()[1].endswith("12.5")
