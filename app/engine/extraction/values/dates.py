"""Dates as a page states them, with the precision in which it does."""

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from dateparser.conf import SettingValidationError
from dateparser.date import DateDataParser

from app.engine.extraction.values.typed import Context
from app.engine.pages.facts.dates import ISO, stated_date, zone
from app.engine.text.scripts import primary_language

MAX_CHARACTERS: Final = 100
_MAX_WORDED: Final = 40  # to read words takes half a millisecond
_EARLIEST, _LATEST = 1000, 2200
_SETTINGS: Final = {
    "PARSERS": ["absolute-time"],
    "REQUIRE_PARTS": ["year"],
    "PREFER_DAY_OF_MONTH": "first",
    "PREFER_MONTH_OF_YEAR": "first",
}
_WITHOUT_LANGUAGE: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
# Where English writes the day first. `en-US` and a bare `en` are what templates come with.
_DAY_FIRST_REGIONS: Final = frozenset({"gb", "au", "nz", "ie", "in", "za"})
_DAY_FIRST_LANGUAGES: Final = frozenset(
    {"bg", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "id", "it", "lv", "nb"}
    | {"nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "tr", "uk", "vi", "ar", "he"}
)

_FIGURES = re.compile(r"(?<![\d./-])(\d{1,2})([./-])[ ]?(\d{1,2})\2[ ]?(\d{4})(?![\d/-]|\.\d)")
_YEAR_FIRST = re.compile(r"(?<![\d./-])(\d{4})([./-])(\d{1,2})\2(\d{1,2})(?![\d/-]|\.\d)")
_SIGNS = re.compile(r"(\d{4}) ?[年년] ?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日일])?")
_CLOCK = re.compile(
    r"[\s,]+(?:(?:at|um|à|om)\s+)?([01]?\d|2[0-3])[:h]([0-5]\d)(?::([0-5]\d))?(?!\d|\s?[ap]\.?m)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{3}")
_LEAD = re.compile(r"^[^\d:]{1,30}:\s+")
_LOCK = threading.Lock()  # a parser remembers what it saw


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or time as stated: without a zone where none is. `precision` as `Typed` has it."""

    at: datetime
    precision: str
    ambiguous: bool = False


def moment(text: str, context: Context) -> Moment | None:
    """The date that a slice states; None when it states none, or only part of one."""
    text = text.strip()
    if len(text) > MAX_CHARACTERS or not any(x.isdigit() for x in text):
        return None
    if whole := _iso(text):
        return whole
    found = list(dict.fromkeys(_in_figures(text, context)))
    if not found and (worded := _worded(text, context)):
        found = [worded]
    if not found:
        return None
    first = found[0]
    return Moment(first.at, first.precision, first.ambiguous or len(found) > 1)


def day_order(text: str) -> bool | None:
    """Whether a date in figures has the day first, where its numbers leave no doubt."""
    for match in _FIGURES.finditer(text[:MAX_CHARACTERS]):
        first, second = int(match[1]), int(match[3])
        if (first > 12) != (second > 12):
            return first > 12
    return None


def _iso(text: str) -> Moment | None:
    match = ISO.fullmatch(text)
    if match is None:
        return None
    parts = match.groupdict()
    made = _made(*(int(parts[name] or 1) for name in ("year", "month", "day")))
    if made is None:
        return None
    if not parts["hour"]:
        precision = "day" if parts["day"] else "month" if parts["month"] else "year"
        return Moment(made, precision)
    clock = {name: int(parts[name] or 0) for name in ("hour", "minute", "second")}
    try:
        at = made.replace(**clock, tzinfo=zone(parts["zone"]) if parts["zone"] else None)
    except ValueError:
        return None
    return Moment(at, "second")


def _in_figures(text: str, context: Context) -> Iterator[Moment]:
    for match in _YEAR_FIRST.finditer(text):
        if made := _made(int(match[1]), int(match[3]), int(match[4])):
            yield _timed(Moment(made, "day"), match)
    for match in _SIGNS.finditer(text):
        if made := _made(int(match[1]), int(match[2]), int(match[3] or 1)):
            yield Moment(made, "day" if match[3] else "month")
    for match in _FIGURES.finditer(text):
        if ordered := _ordered(match, context):
            yield _timed(ordered, match)


def _timed(read: Moment, match: re.Match[str]) -> Moment:
    """The date with the time that stands behind it."""
    clock = _CLOCK.match(match.string, match.end())
    if clock is None:
        return read
    at = read.at.replace(hour=int(clock[1]), minute=int(clock[2]), second=int(clock[3] or 0))
    return replace(read, at=at, precision="second")


def _ordered(match: re.Match[str], context: Context) -> Moment | None:
    """Day and month in the order that the numbers, the host or the language decide."""
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    day_first = context.day_first if context.day_first is not None else _language_order(context)
    if first > 12 or second > 12 or first == second:
        day_first = first >= second
    day, month = (first, second) if day_first is not False else (second, first)
    made = _made(year, month, day)
    return Moment(made, "day", ambiguous=day_first is None) if made else None


def _language_order(context: Context) -> bool | None:
    language = (context.language or "").lower().replace("_", "-")
    if language.startswith("en-") and language[3:] in _DAY_FIRST_REGIONS:
        return True
    return True if primary_language(language) in _DAY_FIRST_LANGUAGES else None


def _made(year: int, month: int, day: int) -> datetime | None:
    if not _EARLIEST <= year <= _LATEST:
        return None
    try:
        return datetime(year, month, day)  # noqa: DTZ001 - as stated, which is without a zone
    except ValueError:
        return None


def _worded(text: str, context: Context) -> Moment | None:
    text = _LEAD.sub("", text)
    years = {int(year) for year in _YEAR.findall(text)}
    if len(years) != 1 or not _WORD.search(text):
        return None
    if len(text) <= _MAX_WORDED:
        read = _read(text, primary_language(context.language))
        numbers = {int(digits) for digits in _DIGITS.findall(text)}
        if read and {read.at.year} == years and (read.precision != "day" or read.at.day in numbers):
            return read
    return _among_words(text)


def _among_words(text: str) -> Moment | None:
    """A date in English that stands among other words."""
    dated = stated_date(text)
    if dated is None or dated[1] not in ("day", "month"):
        return None
    if dated[1] == "month" and len(_DIGITS.findall(text)) > 1:
        return None  # the other figure may be a day that does not exist
    several = len(_YEAR.findall(text)) > 1
    return Moment(dated[0].replace(tzinfo=None), dated[1], ambiguous=several)


@lru_cache(maxsize=4096)
def _read(text: str, language: str) -> Moment | None:
    """What dateparser makes of it. Its `period` is day for a time, too."""
    try:
        with _LOCK:
            data = _parser(language).get_date_data(text)
    except (ValueError, OverflowError, TypeError, AttributeError, LookupError):
        return None  # whatever it stumbles over is no date
    if data is None or data.date_obj is None:
        return None
    at = data.date_obj
    has_time = any((at.hour, at.minute, at.second)) and ":" in text
    return Moment(at, "second" if has_time else str(data.period))


@lru_cache(maxsize=64)
def _parser(language: str) -> Any:
    languages = list(dict.fromkeys([language, "en"])) if language else list(_WITHOUT_LANGUAGE)
    try:
        return DateDataParser(languages=languages, settings=_SETTINGS)
    except (ValueError, SettingValidationError):  # a language it does not know
        return DateDataParser(languages=list(_WITHOUT_LANGUAGE), settings=_SETTINGS)
