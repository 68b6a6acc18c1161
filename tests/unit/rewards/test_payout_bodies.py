"""A payout names an amount that is one, and a destination in plain letters."""

from decimal import Decimal

import pytest
from marshmallow import ValidationError

from app.domains.campaigns.rewards.schemas import PayoutIn

GOOD = {"token": "USD", "amount": "4.000000001", "destination": "DE02 1203 0000 0000 2020 51"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"destination": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"},
        {"destination": " ada+payouts@example.org "},
        {"destination": "eip155:8453:0xA0"},
    ],
    ids=str,
)
def test_plain_addresses_and_references_are_taken(more: dict[str, str]) -> None:
    read = PayoutIn().load({**GOOD, **more})
    assert read["amount"] == Decimal("4.000000001")
    assert read["destination"] == read["destination"].strip()


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": "0"},
        {"amount": 4},
        {"amount": "1.0000000001"},
        {"amount": "1e3"},
        {"token": "usd"},
        {"destination": "abc"},
        {"destination": "abc\ndef"},
        {"destination": "https://pay.example.org/?a=b"},
        {"destination": "wallet\u202e7"},
    ],
    ids=str,
)
def test_anything_else_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PayoutIn().load({**GOOD, **wrong})
