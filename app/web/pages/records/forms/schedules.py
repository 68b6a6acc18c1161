"""Schedules in forms: every hour, day or week at a time, and what says more behind that."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from app.domains.records.monitors import timetable

Form = Mapping[str, Any]

SIMPLE: Final = (("hour", "Every hour"), ("day", "Every day"), ("week", "Every week"))
ADVANCED: Final = (("every", "At another interval"), ("cron", "By a cron expression"))
WEEKDAYS: Final = tuple(
    zip(
        "1234560",
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
        strict=True,
    )
)
FIELDS: Final = ("when", "at", "weekday", "timezone", "every", "cron")
FIRST: Final = {"when": "day", "at": "07:00", "weekday": "1", "timezone": "UTC"}
INTERVALS: Final = {"hour": "1h", "day": "1d", "week": "7d"}
"""The simple schedules where there is no time of the day."""
_SHOWN: Final = 5
_AT: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_SIMPLE_CRON: Final = re.compile(r"([0-9]{1,2}) ([0-9]{1,2}) \* \* ([0-6*])", re.ASCII)


def schedule_of(form: Form) -> dict[str, Any]:
    """The schedule of a request; what was left empty is for the operation to refuse."""
    when, zone = form.get("when"), form.get("timezone")
    if when == "hour":
        return {"every": INTERVALS["hour"]}
    if when == "every":
        return {"every": form.get("every", "")}
    cron = form.get("cron", "") if when == "cron" else _cron(form, weekly=when == "week")
    return {"cron": cron, **({"timezone": zone} if zone else {})}


def _cron(form: Form, *, weekly: bool) -> str:
    match = _AT.match(form.get("at", ""))
    if match is None:
        return ""
    day = form.get("weekday", "") if weekly else "*"
    return f"{int(match[2])} {int(match[1])} * * {day}"


def values_of(schedule: Mapping[str, Any]) -> dict[str, Any]:
    zone = schedule.get("timezone") or "UTC"
    if every := schedule.get("every"):
        return {**FIRST, "when": "hour" if every == INTERVALS["hour"] else "every", "every": every}
    cron = schedule.get("cron") or ""
    match = _SIMPLE_CRON.fullmatch(cron)
    if match is None or int(match[1]) > 59 or int(match[2]) > 23:
        return {**FIRST, "when": "cron", "cron": cron, "timezone": zone}
    at = f"{int(match[2]):02}:{int(match[1]):02}"
    day = match[3]
    simple = {"when": "day"} if day == "*" else {"when": "week", "weekday": day}
    return {**FIRST, **simple, "at": at, "timezone": zone}


def next_runs(form: Form, now: datetime | None = None) -> list[str]:
    """The next runs of what a form says, in the words of its zone; none of what is refused."""
    schedule = schedule_of(form)
    zone = schedule.get("timezone", "UTC")
    runs = timetable.next_runs(
        schedule.get("every"), schedule.get("cron"), zone, now or datetime.now(UTC), _SHOWN
    )
    return _told(runs)


def _told(runs: Iterable[datetime]) -> list[str]:
    return [f"{run:%a %d %b %Y, %H:%M %Z}" for run in runs]


def interval_of(form: Form) -> str:
    """The interval of what has no time of the day; empty for the usual one."""
    when = form.get("when", "")
    return str(form.get("every", "")) if when == "every" else INTERVALS.get(when, "")


def interval_values(interval: str) -> dict[str, str]:
    """The fields of the form for an interval; nothing is selected for the usual one."""
    when = next((name for name, text in INTERVALS.items() if text == interval), "every")
    return {"when": when if interval else "", "every": interval if when == "every" else ""}


def next_of_interval(interval: str, now: datetime | None = None) -> list[str]:
    """The next runs of a campaign that begins now; none of what is no interval."""
    runs = timetable.next_runs(interval, None, "UTC", now or datetime.now(UTC), _SHOWN)
    return _told(runs)
