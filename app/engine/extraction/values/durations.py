"""Durations in ISO 8601 and in words, in seconds."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Final

import isodate

from app.engine.extraction.values.amounts import in_range
from app.engine.text.numbers import FRACTIONS
from app.engine.text.units import Unit, unit

MAX_CHARACTERS: Final = 100
_ISO = re.compile(r"P(?=[\dT])[\dYMWDTHS.,]{2,30}")
_DIGITS = r"\d{1,7}(?:[.,]\d{1,6})?"
_PART = re.compile(
    rf"(?<![\d.,])(?P<number>{_DIGITS})?(?P<fraction> ?[{''.join(FRACTIONS)}])?[ \u00a0-]?"
    r"(?P<unit>[^\W\d_]+)\.?"
    r"(?:(?P<minutes>\d{2})(?!\d|\s?[ms])|[ \u00a0](?P<after>[0-5]\d)(?![\d.,:]|\s?[^\W\d_]))?"
)
_CLOCK = re.compile(r"(?<![\d:])(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_BETWEEN = re.compile(r"[\s,&+]*(?:(?:and|und|et|y|e|en|og|och|i|и)\s+)?")

Lasting = tuple[Decimal, bool]
"""Seconds, and whether they are in doubt."""


def duration(text: str) -> Lasting | None:
    """Reads how long a slice says something lasts. Months and years have no seconds."""
    text = text.strip()
    if len(text) > MAX_CHARACTERS:
        return None
    if _ISO.fullmatch(text):
        seconds = iso_seconds(text)
        return None if seconds is None else (seconds, False)
    return _in_words(text) or _clock(text)


def iso_seconds(text: str) -> Decimal | None:
    """The seconds of `PT1H30M`."""
    if not _ISO.fullmatch(text) or text.endswith(("T", "P")):
        return None
    try:
        length = isodate.parse_duration(text)
    except (isodate.ISO8601Error, ValueError, OverflowError, ArithmeticError):
        return None
    if not isinstance(length, timedelta):  # it has months
        return None
    return Decimal(length.days * 86_400 + length.seconds) + Decimal(length.microseconds) / 10**6


def as_iso(seconds: Decimal) -> str:
    """`PT1H20M` for 4800."""
    whole, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(whole, 60)
    rest_of = f"{rest + seconds % 1:f}".rstrip("0").rstrip(".") if seconds % 1 else str(rest)
    parts = [f"{hours}H" if hours else "", f"{minutes}M" if minutes else ""]
    parts.append(f"{rest_of}S" if rest or seconds % 1 or not (hours or minutes) else "")
    return "PT" + "".join(parts)


def _in_words(text: str) -> Lasting | None:
    runs: list[Decimal] = []
    doubt, smallest, end = False, Decimal(0), -1
    for match in _PART.finditer(text):
        measure = _unit(match["unit"])
        seconds = _seconds(match, measure)
        if measure is None or seconds is None:
            continue
        goes_on = end >= 0 and _BETWEEN.fullmatch(text, end, match.start())
        if goes_on and measure.factor < smallest:
            runs[-1] += seconds
        else:
            runs.append(seconds)
            doubt = doubt or in_range(text, match.start(), len(text))
        smallest, end = measure.factor, match.end()
    if not runs:
        return None
    return runs[0], doubt or len(set(runs)) > 1


def _unit(word: str) -> Unit | None:
    known = unit("min" if word in ("m", "mn") else word)  # nothing lasts for metres
    return known if known and known.dimension == "time" else None


def _seconds(match: re.Match[str], measure: Unit | None) -> Decimal | None:
    if measure is None or not (match["number"] or match["fraction"]):
        return None
    number = Decimal((match["number"] or "0").replace(",", "."))
    if match["fraction"]:
        number += FRACTIONS[match["fraction"].strip()]
    minutes = match["minutes"] or match["after"]
    if minutes and measure.factor == 3600:  # 1h20, 1 h 20
        return number * 3600 + int(minutes) * 60
    return number * measure.factor


def _clock(text: str) -> Lasting | None:
    """1:20:30, and 1:20, of which nobody knows whether it begins with hours or with minutes."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    first, second = int(match[1]), int(match[2])
    if match[3]:
        return Decimal(first * 3600 + second * 60 + int(match[3])), False
    return Decimal(first * 3600 + second * 60), True
