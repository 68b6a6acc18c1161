"""Times as readers prefer them."""

from datetime import UTC, datetime, timedelta

import pytest

from app.web.frame import times

NOW = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (timedelta(), "now"),
        (timedelta(seconds=5.7), "6 s ago"),
        (timedelta(minutes=3, seconds=50), "3 min ago"),
        (timedelta(hours=26), "1 d ago"),
        (timedelta(hours=-2), "in 2 h"),
    ],
)
def test_relative_times_are_in_the_largest_unit(gap: timedelta, text: str) -> None:
    assert times.shown(NOW - gap, "relative", NOW) == text


def test_a_named_zone_obeys_its_summer_time() -> None:
    assert times.shown(NOW, "Europe/Berlin") == "2026-03-29 01:30:00 CET"
    assert times.shown(NOW + timedelta(hours=1), "Europe/Berlin") == "2026-03-29 03:30:00 CEST"


def test_times_of_json_are_read_as_well() -> None:
    assert times.shown("2026-03-29T00:30:00Z", "UTC") == "2026-03-29 00:30:00 UTC"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.34, "0.34 s"),
        (3.4, "3.4 s"),
        (59.6, "1 min"),
        (500, "8 min 20 s"),
        (90061, "1 d 1 h"),
        (0.00004, "0 s"),
        (0.0015, "0.0015 s"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    assert times.duration(seconds) == text
