"""`citegrid rewards`, `payouts` and `reputation` over answers that tests make up."""

import json
from typing import Any

import httpx
import pytest
from conftest import RecordedRun
from job_answers import page

BALANCE: dict[str, Any] = {
    "token": "USD",
    "pending": "0.70",
    "frozen": "0",
    "available": "4.25",
    "payable": "0",
    "paid": "12",
    "next_available_at": "2026-11-24T09:00:00Z",
}
ENTRY: dict[str, Any] = {
    "id": "rwd_a",
    "token": "USD",
    "amount": "0.000000001",
    "role": "contributor",
    "campaign_id": "camp_a",
    "record_id": "crec_a",
    "record_version": 1,
    "chat_id": None,
    "verdict": None,
    "why": "the record was accepted",
    "state": "pending",
    "available_at": "2026-11-24T09:00:00Z",
    "created_at": "2026-11-21T09:00:00Z",
}
PAYOUT: dict[str, Any] = {
    "id": "pout_a",
    "token": "USD",
    "amount": "4.25",
    "destination": "wallet 7",
    "status": "settled",
    "reference": "T-1",
    "reason": None,
    "created_at": "2026-11-22T09:00:00Z",
    "ended_at": "2026-11-22T10:00:00Z",
}

REPUTATION: dict[str, Any] = {
    "right": 40,
    "wrong": 2,
    "mean": 0.9231,
    "interval_90": [0.8512, 0.9741],
    "in_probation": False,
    "suspended_at": None,
    "suspended_reason": None,
}


def test_balances_say_when_the_next_is_available(recorded: RecordedRun) -> None:
    done, _ = recorded(httpx.Response(200, json={"rewards": [BALANCE]}), "rewards", "show")
    assert done.stdout == "USD\t0.70\t0\t4.25\t0\t12\t2026-11-24 09:00\n"


def test_an_entry_is_shown_to_the_last_unit_with_its_reason(recorded: RecordedRun) -> None:
    done, (request,) = recorded(
        page("entries", [ENTRY]), "rewards", "entries", "--campaign", "camp_a"
    )
    assert request.url.params["campaign_id"] == "camp_a"
    assert done.stdout == (
        "rwd_a\t0.000000001 USD\tcontributor\tpending\t2026-11-24 09:00\tcrec_a"
        "\tthe record was accepted\n"
    )


def test_a_payout_is_requested_for_the_amount_as_it_was_written(recorded: RecordedRun) -> None:
    answer = httpx.Response(201, json={"payout": PAYOUT})
    done, (request,) = recorded(
        answer, "payouts", "request", "USD", "4.250000000", "wallet 7", "--yes"
    )
    assert json.loads(request.content)["amount"] == "4.250000000"
    assert done.stdout == "pout_a\n"


def test_payouts_are_listed_with_their_reference(recorded: RecordedRun) -> None:
    done, _ = recorded(page("payouts", [PAYOUT]), "payouts", "list")
    assert done.stdout == "pout_a\t4.25 USD\tsettled\t2026-11-22 09:00\tT-1\n"


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "counts"),
        ({"in_probation": True}, "in probation"),
        ({"suspended_at": "2026-11-21T09:00:00Z"}, "suspended since 2026-11-21 09:00 UTC"),
    ],
)
def test_a_reputation_says_whether_votes_count(
    recorded: RecordedRun, changes: dict[str, Any], state: str
) -> None:
    answer = httpx.Response(200, json={"reputation": REPUTATION | changes})
    assert recorded(answer, "reputation")[0].stdout == f"40\t2\t0.92\t0.85 to 0.97\t{state}\n"
