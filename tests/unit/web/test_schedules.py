"""Schedules in forms: what is selected is what is sent, and comes back as it was."""

from datetime import UTC, datetime
from typing import Any

import pytest

from app.web.pages.records.forms import schedules

FRIDAY = datetime(2026, 11, 27, 12, tzinfo=UTC)
BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("form", "schedule"),
    [
        ({"when": "hour"}, {"every": "1h"}),
        ({"when": "every", "every": "12h"}, {"every": "12h"}),
        (
            {"when": "day", "at": "07:05", "timezone": "UTC"},
            {"cron": "5 7 * * *", "timezone": "UTC"},
        ),
        (
            {"when": "week", "weekday": "0", "at": "18:30", "timezone": BERLIN},
            {"cron": "30 18 * * 0", "timezone": BERLIN},
        ),
        (
            {"when": "cron", "cron": "0 7 1 * *", "timezone": "UTC"},
            {"cron": "0 7 1 * *", "timezone": "UTC"},
        ),
    ],
)
def test_a_selection_is_a_schedule_and_back(form: dict[str, Any], schedule: dict[str, Any]) -> None:
    assert schedules.schedule_of(form) == schedule
    assert schedules.values_of(schedule).items() >= form.items()


def test_times_that_are_none_are_left_for_the_operation_to_refuse() -> None:
    assert schedules.schedule_of({"when": "day", "at": "25:00"}) == {"cron": ""}
    assert schedules.values_of({"cron": "99 7 * * *"})["when"] == "cron"


def test_the_next_runs_are_told_in_the_zone_of_the_schedule() -> None:
    form = {"when": "week", "weekday": "1", "at": "07:00", "timezone": BERLIN}
    runs = schedules.next_runs(form, FRIDAY)
    assert runs[:2] == ["Mon 30 Nov 2026, 07:00 CET", "Mon 07 Dec 2026, 07:00 CET"]
    assert len(runs) == 5


def test_an_interval_begins_now() -> None:
    assert schedules.next_runs({"when": "hour"}, FRIDAY)[0] == "Fri 27 Nov 2026, 13:00 UTC"


@pytest.mark.parametrize(
    "form",
    [
        {"when": "cron", "cron": "* * * * *"},
        {"when": "cron", "cron": "0 0 31 2 *"},
        {"when": "day", "at": "07:00", "timezone": "../../etc/passwd"},
        {"when": "every", "every": "1s"},
        {},
    ],
)
def test_what_is_refused_has_no_next_run(form: dict[str, Any]) -> None:
    assert schedules.next_runs(form, FRIDAY) == []


@pytest.mark.parametrize("interval", ["", "1h", "1d", "7d", "14d"])
def test_an_interval_is_selected_and_back(interval: str) -> None:
    assert schedules.interval_of(schedules.interval_values(interval)) == interval


def test_the_next_runs_of_an_interval_are_told() -> None:
    assert schedules.next_of_interval("7d", FRIDAY)[0] == "Fri 04 Dec 2026, 12:00 UTC"
    assert schedules.next_of_interval("soon", FRIDAY) == []
