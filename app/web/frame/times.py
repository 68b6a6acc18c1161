"""Times as a reader wants them: how long ago, in UTC, or in a zone of the reader's choice."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.domains.account.accounts.preferences import RELATIVE

_STEPS: Final = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def parsed(moment: datetime | str) -> datetime:
    return datetime.fromisoformat(moment) if isinstance(moment, str) else moment


def shown(moment: datetime | str, zone: str, now: datetime | None = None) -> str:
    """`3 min ago`, `in 2 h`, or a date and time with its zone's name."""
    when = parsed(moment)
    if zone == RELATIVE:
        return ago(when, now or datetime.now(UTC))
    return exact_time(when, zone)


def exact_time(moment: datetime | str, zone: str) -> str:
    """`2026-11-22 15:04:05 UTC`; who prefers relative times reads UTC here."""
    return f"{local(moment, zone):%Y-%m-%d %H:%M:%S %Z}"


def local(moment: datetime | str, zone: str) -> datetime:
    """The time in that zone; in UTC at the ends of the calendar, which other zones have passed."""
    at = parsed(moment)
    try:
        return at.astimezone(zone_of(zone))
    except OverflowError:
        return at.astimezone(UTC)


def zone_of(name: str) -> ZoneInfo:
    """The zone that axes and exact times obey; UTC if this server does not know it any more."""
    try:
        return ZoneInfo("UTC" if name == RELATIVE else name)
    except ZoneInfoNotFoundError:  # it was known when it was chosen: another release, or machine
        return ZoneInfo("UTC")


def ago(when: datetime, now: datetime) -> str:
    """In the largest unit that is not zero."""
    gap = now - when
    text = duration(round(abs(gap).total_seconds()), parts=1)
    if abs(gap) < timedelta(seconds=1):
        return "now"
    return f"{text} ago" if gap > timedelta() else f"in {text}"


def duration(seconds: float, parts: int = 2) -> str:
    """`0.34 s`, `3.4 s`, `8 min 20 s`, `2 h`."""
    if seconds < 10:
        return f"{seconds:.2g} s" if seconds >= 0.001 else "0 s"  # never 4e-05 s
    left, texts = round(seconds), list[str]()
    for size, unit in _STEPS:
        count, left = divmod(left, size)
        if count:
            texts.append(f"{count} {unit}")
    return " ".join(texts[:parts])


def durations(
    rows: Sequence[Mapping[str, Any]], begins: str = "started_at", ends: str = "completed_at"
) -> dict[str, Any]:
    """The seconds that each row of this id took, or takes so far, and the most of them."""
    took = {row["id"]: _seconds(row[begins], row[ends]) for row in rows}
    return {"took": took, "longest": max(filter(None, took.values()), default=0.0)}


def _seconds(begins: str | None, ends: str | None) -> float | None:
    """None before it began."""
    if begins is None:
        return None
    until = datetime.fromisoformat(ends) if ends else datetime.now(UTC)
    return max(0.0, (until - datetime.fromisoformat(begins)).total_seconds())
