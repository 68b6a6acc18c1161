"""Results from JSON and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from answers import COMPLETED, FAILED, RUNNING

from citegrid import UnusableAnswer, as_json
from citegrid.nouns.search.search_results import Search
from citegrid.transport.codec import decode, timestamp


@dataclass(frozen=True)
class Price:
    amount: Decimal
    at: datetime
    tags: tuple[str, ...]
    ratios: Mapping[str, float]
    note: str | None
    extra: str | None = None


GIVEN: dict[str, Any] = {
    "amount": "0.10",
    "at": "2026-11-21T10:00:00+01:00",
    "tags": ["a", "b"],
    "ratios": {"x": 1},
    "note": None,
}
READ = Price(Decimal("0.10"), datetime(2026, 11, 21, 9, tzinfo=UTC), ("a", "b"), {"x": 1.0}, None)


def test_money_is_decimal_and_times_are_aware() -> None:
    assert decode(Price, GIVEN) == READ


def test_fields_that_this_version_does_not_know_are_ignored() -> None:
    assert decode(Price, {**GIVEN, "brand_new": [1]}) == READ


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("amount", 0.1, "/amount"),
        ("amount", "ten", "/amount"),
        ("amount", "NaN", "/amount"),
        ("at", "2026-11-21T10:00:00", "/at"),
        ("at", 5, "/at"),
        ("tags", "ab", "/tags"),
        ("tags", ["a", 5], "/tags/1"),
        ("ratios", {"x": True}, "/ratios/x"),
        ("note", 5, "/note"),
    ],
)
def test_a_field_of_another_type_is_named_without_its_value(
    field: str, value: object, where: str
) -> None:
    with pytest.raises(UnusableAnswer) as raised:
        decode(Price, {**GIVEN, field: value})
    assert f"{where} is" in str(raised.value)
    assert raised.value.__context__ is None


def test_a_missing_field_is_named() -> None:
    with pytest.raises(UnusableAnswer, match=r"lacks /note\."):
        decode(Price, {name: value for name, value in GIVEN.items() if name != "note"})


@pytest.mark.parametrize("given", [RUNNING, COMPLETED, FAILED], ids=lambda g: str(g["status"]))
def test_a_search_is_written_as_the_server_wrote_it(given: dict[str, Any]) -> None:
    written = as_json(decode(Search, given))
    assert {**written, "completed_at": None} == {**given, "completed_at": None}


def test_a_time_is_written_in_utc() -> None:
    moment = datetime(2026, 11, 21, 10, tzinfo=timezone(timedelta(hours=1)))
    assert timestamp(moment) == "2026-11-21T09:00:00Z"


@pytest.mark.parametrize(
    ("shape", "value"), [(datetime, "0001-01-01T00:00:00+01:00"), (float, 10**400)]
)
def test_a_time_or_number_out_of_range_is_an_unusable_answer(shape: type, value: object) -> None:
    with pytest.raises(UnusableAnswer):
        decode(shape, value)
