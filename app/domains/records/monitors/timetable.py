"""When a monitor runs: every so often from its creation, or by a cron expression in a time zone."""

import re
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSimError

from app.domains.queue.jobs.schedules import cron_ticks

LEAST_SECONDS: Final = 300
_CHECKED_TICKS: Final = 50
_SECONDS: Final = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_EVERY: Final = re.compile(r"([1-9][0-9]{0,3})([mhdw])")


def every_seconds(text: str) -> int | None:
    """`5m`, `12h`, `1d`, `2w` in seconds; None when it is none of these, or too often."""
    match = _EVERY.fullmatch(text)
    seconds = int(match[1]) * _SECONDS[match[2]] if match else 0
    return seconds if seconds >= LEAST_SECONDS else None


def is_zone(name: str) -> bool:
    return name in available_timezones()


def cron_problem(cron: str) -> str | None:
    """Returns the problem of a cron expression of five fields.

    Its times are as far apart as clocks show them: summer time may move two together once a year.
    """
    if len(cron) > 200 or len(cron.split()) != 5:
        return "Must be the five fields of a cron expression, as in `0 7 * * 1-5`."
    try:
        ticks = list(islice(cron_ticks(cron, "UTC", datetime.now(UTC)), _CHECKED_TICKS))
    except CronSimError as error:
        return f"The cron expression matches no time: {str(error).lower()}."
    if not ticks:
        return "The cron expression never matches."
    if any(later - tick < timedelta(seconds=LEAST_SECONDS) for tick, later in pairwise(ticks)):
        return "Runs have to be at least 5 minutes apart."
    return None


def next_runs(
    every: str | None, cron: str | None, timezone: str, after: datetime, count: int
) -> list[datetime]:
    """The times of the next runs, in the zone of the schedule; none of one that is refused."""
    zone = ZoneInfo(timezone) if is_zone(timezone) else None
    if zone is None:
        return []
    if cron is not None:
        ticks = () if cron_problem(cron) else islice(cron_ticks(cron, timezone, after), count)
        return [tick.astimezone(zone) for tick in ticks]
    began = after.astimezone(zone)
    seconds = every_seconds(every or "")
    return [began + timedelta(seconds=n * (seconds or 0)) for n in range(1, count + 1) if seconds]
