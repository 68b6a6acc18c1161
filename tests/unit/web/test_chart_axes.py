"""Ticks: round, covering every value, in the reader's zone whatever its clocks do."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from app.web.charts import axes
from app.web.frame.times import zone_of

NOW = datetime(2026, 11, 22, 15, 4, tzinfo=UTC)
BERLIN = "Europe/Berlin"


def labels(first: datetime, last: datetime, zone: str) -> list[str]:
    return [label for _, label in axes.time_ticks(first, last, zone, NOW)]


@pytest.mark.parametrize("highest", ["0.003", "1", "99", "101", "284", "500", "1e12", "7.77e20"])
def test_the_top_tick_covers_the_maximum(highest: str) -> None:
    ticks = axes.value_ticks(Decimal(0), Decimal(highest))
    assert ticks[0] == 0
    assert ticks[-2] < Decimal(highest) <= ticks[-1]
    assert 3 <= len(ticks) <= 7


def test_values_below_zero_have_ticks_too() -> None:
    ticks = axes.value_ticks(Decimal(-7), Decimal(12))
    assert ticks[0] <= -7
    assert 0 in ticks
    assert ticks[-1] >= 12


def test_without_any_value_there_is_an_axis() -> None:
    assert axes.value_ticks(Decimal(0), Decimal(0))[-1] == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("-0.0", "0"),
        ("71.257", "71.3"),
        ("0.0031", "0.0031"),
        ("999.9999", "1,000"),
        ("2455", "2,455"),
        ("-12", "-12"),
        ("1234567", "1.23M"),
        ("18446744073709551616", "1.84e+19"),
    ],
)
def test_a_value_is_written_short(value: str, text: str) -> None:
    assert axes.short(Decimal(value)) == text


def test_what_is_no_number_is_no_value() -> None:
    assert axes.exact(float("nan")) is None
    assert axes.exact(float("inf")) is None
    assert axes.exact(0.1) == Decimal("0.1")


def test_a_table_keeps_every_digit() -> None:
    assert axes.whole(Decimal("12345678901234567890.123")) == "12345678901234567890.123"


def test_hours_are_those_of_the_readers_clock() -> None:
    first = datetime(2026, 11, 20, 23, tzinfo=UTC)
    found = labels(first, first + timedelta(hours=15), "Asia/Kolkata")
    assert found == ["06:00", "09:00", "12:00", "15:00", "18:00"]


def test_midnight_is_written_as_its_date() -> None:
    evening = datetime(2026, 11, 21, 20, tzinfo=UTC)
    assert "22 Nov" in labels(evening, evening + timedelta(hours=6), BERLIN)


@pytest.mark.parametrize("day", [(2026, 3, 29), (2026, 10, 25)])
def test_hours_stay_round_on_the_day_clocks_change(day: tuple[int, int, int]) -> None:
    noon = datetime(*day, 12, tzinfo=UTC)
    ticks = axes.time_ticks(noon - timedelta(days=1), noon + timedelta(days=1), BERLIN, NOW)
    zone = zone_of(BERLIN)
    assert len(ticks) >= 4
    assert {at.astimezone(zone).hour % 6 for at, _ in ticks} == {0}
    assert {at.astimezone(zone).minute for at, _ in ticks} == {0}


def test_an_hour_that_clocks_show_twice_is_there_twice() -> None:
    first = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)  # 01:30; at 3:00 it is 2:00 again
    assert labels(first, first + timedelta(hours=4), BERLIN) == ["02:00", "02:00", "03:00", "04:00"]


def test_an_hour_that_clocks_skip_is_not_there() -> None:
    first = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)  # 01:30; at 2:00 it is 3:00
    assert labels(first, first + timedelta(hours=4), BERLIN) == ["03:00", "04:00", "05:00", "06:00"]


def test_days_begin_at_the_readers_midnight_also_when_clocks_change() -> None:
    first = datetime(2026, 10, 23, tzinfo=UTC)
    ticks = axes.time_ticks(first, first + timedelta(days=4), BERLIN, NOW)
    assert [label for _, label in ticks] == ["24 Oct", "25 Oct", "26 Oct", "27 Oct"]
    assert {at.astimezone(zone_of(BERLIN)).hour for at, _ in ticks} == {0}


def test_years_of_months_are_written_with_their_year() -> None:
    first = datetime(2025, 12, 15, tzinfo=UTC)
    assert labels(first, datetime(2026, 4, 2, tzinfo=UTC), "UTC") == [
        "Jan 2026",
        "Feb 2026",
        "Mar 2026",
        "Apr 2026",
    ]


def test_who_reads_relative_times_gets_ages() -> None:
    assert labels(NOW - timedelta(hours=1), NOW, "relative") == [
        "−1 h",
        "−50 min",
        "−40 min",
        "−30 min",
        "−20 min",
        "−10 min",
        "now",
    ]
    assert labels(NOW, NOW + timedelta(days=8), "relative")[:2] == ["now", "+2 d"]


@pytest.mark.parametrize(
    "seconds", [3, 90, 7_000, 86_400, 9 * 86_400, 400 * 86_400, 10_000 * 86_400]
)
@pytest.mark.parametrize(
    "zone", ["UTC", "relative", BERLIN, "Australia/Lord_Howe", "Asia/Kathmandu"]
)
def test_there_are_a_few_ticks_in_order_whatever_the_span(seconds: int, zone: str) -> None:
    first = NOW - timedelta(seconds=seconds)
    times = [at for at, _ in axes.time_ticks(first, NOW, zone, NOW)]
    assert 1 <= len(times) <= 8
    assert times == sorted(times)
    assert first <= times[0]
    assert times[-1] <= NOW
