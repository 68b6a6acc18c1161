"""Amounts and transfers as people read them."""

from datetime import date
from decimal import Decimal

import pytest

from app.core.http.fields import example_id
from app.domains.own_data.usage.service import Period
from app.web.frame.money import exact, money
from app.web.pages.campaigns import transfers

FIRST = example_id("ent")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0.00"),
        ("12.5", "12.50"),
        ("1234567.891", "1,234,567.891"),
        ("-0.25", "-0.25"),
        ("0.010000000", "0.01"),
        ("0.0174", "0.0174"),
        ("0.125", "0.125"),
        ("-2.345", "-2.345"),
        ("0.00125", "0.00125"),
        ("0.0031", "0.0031"),
        ("0.003149", "0.003149"),
        ("0.009999", "0.009999"),
        ("-0.0031", "-0.0031"),
        ("0.000000001", "0.000000001"),
        ("999999999999.999999999", "999,999,999,999.999999999"),
    ],
)
def test_amounts_are_exact_with_two_decimals_at_least(value: str, text: str) -> None:
    assert exact(Decimal(value)) == text


def test_an_amount_has_its_token() -> None:
    assert money("0.0174", "USD") == "0.0174 USD"


def test_what_is_not_known_is_no_zero() -> None:
    assert "–" in money(None, "USD")


def test_a_token_is_text() -> None:
    assert money("5", "<b>") == "5.00 &lt;b&gt;"


def entry(why: str, amount: str, kind: str = "escrow", at: str = "2026-11-22T09:00:00Z") -> dict:
    return {"why": why, "amount": amount, "kind": kind, "token": "USD", "posted_at": at}


def test_a_reason_of_a_later_release_is_text() -> None:
    page = {"entries": [entry("<later>", "5")], "next_cursor": None}
    (made,) = transfers.of_campaign(page)["transfers"]
    assert made.sentence == "&lt;later&gt;: 5.00 USD."


def test_lines_of_one_transfer_are_one_sentence() -> None:
    accepted = [entry("record accepted", "-1", "reserved"), entry("record accepted", "0.3", "pool")]
    funded = entry("fund", "8", at="2026-11-22T08:00:00Z")
    page = {"entries": [*accepted, funded], "next_cursor": None}
    made = transfers.of_campaign(page)["transfers"]
    assert [each.sentence for each in made] == [
        "1.00 USD was paid for an accepted record.",
        "You added 8.00 USD.",
    ]
    assert [len(each.entries) for each in made] == [2, 1]


@pytest.mark.parametrize(
    ("why", "lines", "sentence"),
    [
        (
            "appeal upheld",
            {"reserved": "-1", "escrow": "0.3"},
            "0.70 USD was paid for a record accepted on appeal.",
        ),
        ("reserve", {"escrow": "-1", "reserved": "1"}, "1.00 USD was reserved for a run."),
        (
            "nobody to pay",
            {"pool": "-0.3", "escrow": "0.3"},
            "0.30 USD came back from a run that no validator voted in.",
        ),
        ("pool shared", {"pool": "-0.3"}, "0.30 USD was shared by the validators of a run."),
        (
            "dispute upheld",
            {"pool": "-0.3", "escrow": "1"},
            "1.00 USD came back after an upheld dispute.",
        ),
    ],
)
def test_a_transfer_says_what_was_paid_and_not_what_came_back_of_it(
    why: str, lines: dict[str, str], sentence: str
) -> None:
    entries = [entry(why, amount, kind) for kind, amount in lines.items()]
    (made,) = transfers.of_campaign({"entries": entries, "next_cursor": None})["transfers"]
    assert made.sentence == sentence


def test_a_transfer_whose_lines_go_on_is_on_the_next_page() -> None:
    accepted = entry("record accepted", "-1", "reserved")
    funded = {**entry("fund", "8", at="2026-11-22T09:00:00Z"), "id": FIRST}
    made = transfers.of_campaign({"entries": [funded, accepted], "next_cursor": "cur_x"})
    assert [each.sentence for each in made["transfers"]] == ["You added 8.00 USD."]
    assert made["next_cursor"] == FIRST.replace("ent_", "cur_")


def test_a_calendar_month_has_all_of_its_days() -> None:
    assert Period.month(date(2024, 2, 11)) == Period(date(2024, 2, 1), date(2024, 2, 29))
    assert Period.month(date(2025, 12, 31)) == Period(date(2025, 12, 1), date(2025, 12, 31))
