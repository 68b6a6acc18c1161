"""What a line of an import, or later a node, may say of an offer."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from app.domains.providers.providers import offer_rules

LEAST: dict[str, Any] = {
    "device_id": "cellar-1",
    "model": "example/model-7b",
    "model_revision": "r1",
    "rates": {"input": "0.25", "output": "0"},
    "public_name": " Cellar ",
}


def test_the_required_fields_are_enough() -> None:
    assert offer_rules.parse(LEAST) == offer_rules.OfferFields(
        device_id="cellar-1",
        model="example/model-7b",
        model_revision="r1",
        input_rate=Decimal("0.25"),
        output_rate=Decimal(0),
        public_name="Cellar",
    )


def test_everything_may_be_said() -> None:
    said = offer_rules.parse(
        LEAST
        | {"serving": True, "auto_eligible": False, "in_flight": 0, "capacity": 4}
        | {"seen_at": "2026-01-31T12:00:00Z"}
    )
    assert (said.serving, said.auto_eligible, said.in_flight, said.capacity) == (True, False, 0, 4)
    assert said.seen_at == datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize("name", LEAST)
def test_a_missing_field_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: Missing\.$"):
        offer_rules.parse({key: value for key, value in LEAST.items() if key != name})


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(ValueError, match=r"^price: Unknown field\.$"):
        offer_rules.parse(LEAST | {"price": 1})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("device_id", ""),
        ("device_id", "d" * 101),
        ("model", " example"),
        ("model", "m" * 161),
        ("model", "a\nb"),
        ("model_revision", None),
        ("rates", "0.25"),
        ("rates", {"input": "1"}),
        ("rates", {"input": "1", "output": "1", "cached": "1"}),
        ("public_name", "\t"),
        ("serving", 1),
        ("auto_eligible", "yes"),
        ("in_flight", -1),
        ("in_flight", True),
        ("capacity", 0),
        ("capacity", 2**31),
        ("seen_at", "yesterday"),
        ("seen_at", "2026-01-31"),
        ("seen_at", "2026-01-31T12:00:00"),
    ],
)
def test_a_bad_value_is_named(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        offer_rules.parse(LEAST | {name: value})


@pytest.mark.parametrize(
    "rate",
    [
        *("-1", "+1", "1.", ".5", "01", "1e3", "NaN", "Infinity", "1,5", "", " 1", "1\n"),
        *("0." + "1" * 10, "1" * 10, "١", 1, 0.25, None),
    ],
)
def test_a_rate_is_a_plain_decimal_string(rate: object) -> None:
    with pytest.raises(ValueError, match="rates: Must be decimal strings"):
        offer_rules.parse(LEAST | {"rates": {"input": rate, "output": "1"}})


def test_nothing_was_seen_in_the_future() -> None:
    soon = datetime.now(UTC) + timedelta(minutes=5)
    with pytest.raises(ValueError, match="seen_at: Lies ahead"):
        offer_rules.parse(LEAST | {"seen_at": soon.isoformat()})
