"""When monitors run: every so often, or by the clock of a place."""

from datetime import UTC, datetime

import pytest

from app.domains.queue.jobs.schedules import next_cron
from app.domains.records.monitors.timetable import cron_problem, every_seconds, is_zone, next_runs

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5m", 300), ("12h", 43_200), ("1d", 86_400), ("2w", 1_209_600)],
)
def test_an_interval_has_a_unit(text: str, seconds: int) -> None:
    assert every_seconds(text) == seconds


@pytest.mark.parametrize(
    "text", ["4m", "0d", "05m", "5", "5s", "m", "-5m", "1.5h", "99999d", "５m"]
)
def test_other_intervals_are_none(text: str) -> None:
    assert every_seconds(text) is None


@pytest.mark.parametrize("cron", ["0 7 * * 1-5", "*/5 * * * *", "0 0 29 2 *", "30 2 * * *"])
def test_a_cron_expression_is_taken(cron: str) -> None:
    assert cron_problem(cron) is None


@pytest.mark.parametrize(
    "cron",
    [
        "0 0 31 2 *", "* * * * *", "*/4 * * * *", "0,2 7 * * *", "0 0 * *", "* * * * * *",
        "@daily", "x",
    ],
)  # fmt: skip
def test_what_never_comes_or_too_often_is_refused(cron: str) -> None:
    assert cron_problem(cron)


def test_only_zones_of_the_database_are_zones() -> None:
    assert is_zone(BERLIN)
    assert not is_zone("../etc/passwd")
    assert not is_zone("Mars/Olympus")


@pytest.mark.parametrize(
    ("cron", "after", "ticks"),
    [
        # The hour that does not exist: once, at its end. The next day as ever.
        ("30 2 * * *", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]),
        # The hour that comes twice: once.
        ("30 2 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]),
        # Half hours are real ones in both.
        ("*/30 * * * *", "2026-03-29T00:40Z", ["2026-03-29T01:00Z", "2026-03-29T01:30Z"]),
        (
            "*/30 * * * *",
            "2026-10-25T00:10Z",
            ["2026-10-25T00:30Z", "2026-10-25T01:00Z", "2026-10-25T01:30Z", "2026-10-25T02:00Z"],
        ),
    ],
)
def test_daylight_saving_neither_loses_nor_doubles_a_run(
    cron: str, after: str, ticks: list[str]
) -> None:
    at = datetime.fromisoformat(after)
    for tick in ticks:
        at = next_cron(cron, BERLIN, at)
        assert at == datetime.fromisoformat(tick).astimezone(UTC)


def test_no_run_of_the_hour_that_comes_twice_is_announced_once_it_has_passed() -> None:
    after = datetime.fromisoformat("2026-10-25T01:10Z")
    (first,) = next_runs(None, "30 2 * * *", BERLIN, after, 1)
    assert first == datetime.fromisoformat("2026-10-26T01:30Z")


def test_hours_that_summer_time_moves_together_once_a_year_are_taken() -> None:
    after = datetime.fromisoformat("2026-03-28T12:00Z")
    runs = next_runs(None, "1 2,3 * * *", BERLIN, after, 2)
    assert [run.astimezone(UTC).minute for run in runs] == [0, 1]


def test_the_problem_of_a_cron_expression_names_its_wrong_field() -> None:
    assert cron_problem("60 9 * * *") == "The cron expression matches no time: bad minute."
