"""Dates of a text: in figures, with the names of months, and as machines write them.

03/04 may be a day in March or in April: a date has several readings until something decides.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, NamedTuple

from app.engine.text.months import months
from app.engine.text.scripts import WORD

_EARLIEST, _LATEST = 1000, 2200
_MONTHS, _DAYS = 12, 31
_NAME = rf"(?<![{WORD}])(?P<name>[^\W\d_][{WORD}]{{1,20}})\.?"
_DAY = r"(?<!\d)(?P<day>\d{1,2})"
_TH = r"(?:st|nd|rd|th|er|º|ª)?"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_OF = r"(?:of |del? |d['’])?"
_OF_YEAR = r"(?:\.(?: g\.| gada)?| m\.)"
_NO_MORE = r"(?![\d/-]|\.\d)"
_FIGURES = (
    r"(?<![\d./-])(?P<a>\d{1,2})(?P<sign>[./-]) ?(?P<b>\d{1,2})(?P=sign) ?(?P<year>\d{4})"
    rf"{_NO_MORE}"
)
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d./-]){_YEAR}([./-]) ?(?P<month>\d{{1,2}})\2 ?(?P<day>\d{{1,2}}){_NO_MORE}",
        r"(?P<year>\d{4}) ?[年년] ?(?P<month>\d{1,2}) ?[月월](?: ?(?P<day>\d{1,2}) ?[日일])?",
        rf"(?:{_DAY} )?(?:tháng|thg) (?P<month>\d{{1,2}})[, ]+(?:năm )?{_YEAR}",
        _FIGURES,
        rf"(?<!\d){_YEAR}{_OF_YEAR}?,? {_NAME} (?P<day>\d{{1,2}})(?![\d%:])",
        rf"(?<![\d/-]){_YEAR}-{_NAME}-(?P<day>\d{{1,2}})(?![\d-])",
        rf"(?<!\d){_YEAR}{_OF_YEAR} (?:(?P<day>\d{{1,2}})\. )?{_NAME}",
        rf"{_DAY}(?:{_TH}\.?\s{{1,3}}{_OF}|\.|[-/]){_NAME}"
        rf"(?:(?:,?\s{{1,3}}|[-/]){_OF}{_YEAR})?",
        rf"{_NAME}[\s-]{{1,3}}(?P<day>\d{{1,2}}){_TH}(?![\d%:]|\.\d)(?:(?:,?\s{{1,3}}|-){_YEAR})?",
        rf"{_NAME},?\s{{1,3}}{_OF}{_YEAR}",
    )
)
_FROM_UTC: Final = r"(?:UTC|GMT) ?[+−-]\d{1,2}(?::?\d\d)?(?!\d)"
_OFFSET: Final = r"[+−-]\d\d(?::?\d\d)?(?![\d:])"
# Behind hours and minutes, -12:00 is when something ends.
_SHORT_OFFSET: Final = r"\+\d\d(?::?\d\d)?(?![\d:])|[−-]\d{4}(?!\d)"
_CLOCK: Final = re.compile(
    r"(?:T|[\s,]+)(?:(?:at|um|à|om|kl\.?|às|alle|-|–)\s+)?(?P<hour>[01]?\d|2[0-3])[:h](?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d))?(?!\d)(?:\s?(?P<half>[ap])\.?m\b)?"
    rf"(?:\s?\(?(?P<zone>{_FROM_UTC}|(?(second){_OFFSET}|(?:{_SHORT_OFFSET}))|[A-Z]{{1,4}}\b))?",
    re.IGNORECASE,
)
_ISO: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:[T ]+(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    rf"\s*(?P<zone>{_FROM_UTC}|{_OFFSET}|Z|UTC|GMT)?)?)?)?(?!\d)",
    re.IGNORECASE,
)
_ZONE: Final = re.compile("[A-Z]{1,3}T")
_ZONES: Final = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2,
    "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9, "AEST": 10, "AEDT": 11, "EST": -5,
    "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip


class Day(NamedTuple):
    """A day as far as it is stated: `October 1990` has no day, `3 October` no year."""

    year: int | None
    month: int | None
    day: int | None


@dataclass(frozen=True, slots=True)
class Date:
    """text[start:end]; of several readings the one with the day before the month comes first."""

    start: int
    end: int
    days: tuple[Day, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or time as stated: without a zone where none is.

    `precision` is what was said: second, day, month or year; the rest is the first of that period.
    `ambiguous` means that others are as likely, `has_unknown_zone` that the time is that of a zone
    that is not known by its abbreviation: IST is India, Ireland or Israel.
    """

    at: datetime
    precision: str
    ambiguous: bool = False
    has_unknown_zone: bool = False

    def utc(self) -> "Moment":
        """A time without a zone counts as UTC."""
        at = self.at if self.at.tzinfo else self.at.replace(tzinfo=UTC)
        return replace(self, at=at.astimezone(UTC))


def dates(text: str, language: str | None = None) -> list[Date]:
    """All dates of a text in order that have a month and a day or a year."""
    return apart(text, language)[0]


def apart(text: str, language: str | None = None) -> tuple[list[Date], str]:
    """The dates of a text, and the text with blanks in their place."""
    names, found = months(language), list[Date]()

    def take(match: re.Match[str]) -> str:
        if days := _days(match, names):
            found.append(Date(*match.span(), days))
            return " " * len(match[0])
        return match[0]

    for pattern in _PATTERNS:
        text = pattern.sub(take, text)
    return sorted(found, key=lambda date: date.start), text


def with_clock(text: str, date: Date) -> int:
    """The end of a date in a text with the time of day behind it, if there is one."""
    clock = _CLOCK.match(text, date.end)
    return clock.end() if clock else date.end


def moments(text: str, language: str | None = None, *, day_first: bool = False) -> Iterator[Moment]:
    """The days and months of a text that exist and have a year, with the times beside them."""
    for date in dates(text, language):
        existing = [at for day in date.days if (at := _midnight(*day))]
        if existing:
            moment = Moment(
                existing[0],
                "day" if date.days[0].day else "month",
                ambiguous=not day_first and len(existing) > 1,
            )
            yield _timed(moment, _CLOCK.match(text, date.end)) or moment


def iso(text: str, *, whole: bool = True) -> Moment | None:
    """A date in ISO 8601; unless `whole`, one that the text begins with."""
    match = _ISO.fullmatch(text) if whole else _ISO.match(text)
    return stamp(match) if match else None


def stamp(match: re.Match[str]) -> Moment | None:
    """Reads the groups year, month, day, hour, minute, second and zone of a match."""
    parts = {name: part for name, part in match.groupdict().items() if part}
    at = _midnight(*(int(parts[x]) if x in parts else None for x in ("year", "month", "day")))
    precision = "day" if "day" in parts else "month" if "month" in parts else "year"
    if at is None:
        return None
    return _timed(Moment(at, precision), match if "hour" in parts else None)


def _days(match: re.Match[str], names: dict[str, int]) -> tuple[Day, ...]:
    parts = match.groupdict()
    year, day = (int(parts[x]) if parts.get(x) else None for x in ("year", "day"))
    if parts.get("a"):
        a, b = int(parts["a"]), int(parts["b"])
        both = (Day(year, b, a), Day(year, a, b))
        read = both[: 1 if a == b or (parts["sign"] == "." and b <= _MONTHS) else 2]
    elif parts.get("name"):
        read = (Day(year, names.get(parts["name"].casefold(), 0), day),)
    else:
        read = (Day(year, int(parts["month"]), day),)
    return tuple(
        x
        for x in read
        if 1 <= (x.month or 0) <= _MONTHS and 1 <= (1 if x.day is None else x.day) <= _DAYS
    )


def _midnight(year: int | None, month: int | None, day: int | None) -> datetime | None:
    if year is None or not _EARLIEST <= year <= _LATEST:
        return None
    try:
        return datetime(year, month or 1, day or 1)  # noqa: DTZ001 - as stated, which is without a zone
    except ValueError:
        return None


def _timed(moment: Moment, clock: re.Match[str] | None) -> Moment | None:
    if clock is None:
        return moment
    parts = clock.groupdict()
    hour = int(parts["hour"])
    if parts.get("half"):
        hour = hour % 12 + (12 if parts["half"] in "pP" else 0)
    try:
        at = moment.at.replace(
            hour=hour,
            minute=int(parts["minute"] or 0),
            second=int(parts["second"] or 0),
            tzinfo=_zone(parts["zone"]),
        )
    except ValueError:
        return None
    is_unknown = at.tzinfo is None and bool(_ZONE.fullmatch(parts["zone"] or ""))
    return replace(moment, at=at, precision="second", has_unknown_zone=is_unknown)


def _zone(written: str | None) -> timezone | None:
    """The offset that `+02:00` or `CEST` stands for."""
    written = (written or "").upper()
    digits = re.sub(r"\D", "", written)
    if digits:
        hour, minute = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
        offset = timedelta(hours=int(hour), minutes=int(minute))
        return timezone(offset if "+" in written else -offset)
    hours = _ZONES.get(written)
    return None if hours is None else timezone(timedelta(hours=hours))
