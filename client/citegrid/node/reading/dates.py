"""Dates as texts state them, in the words of some languages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final

_MONTHS: Final = (
    "january januar janvier enero gennaio janeiro januari jan jän ene gen",
    "february februar février febrero febbraio fevereiro februari feb fév févr fev",
    "march märz mars marzo março maart mar mär mrz mrt",
    "april avril abril aprile apr avr abr",
    "may mai mayo maggio maio mei mag",
    "june juni juin junio giugno junho jun giu",
    "july juli juillet julio luglio julho jul juil lug",
    "august août agosto augustus aug ago",
    "september septembre septiembre settembre setembro sep sept set",
    "october oktober octobre octubre ottobre outubro oct okt ott out",
    "november novembre noviembre novembro nov",
    "december dezember décembre diciembre dicembre dezembro dec dez déc dic",
)
_NUMBER_OF: Final = {
    name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()
}
_DATE: Final = re.compile(
    r"(?<![\w.-])(?:"
    r"(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
    r"(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|(?P<d2>\d{1,2})(?:st|nd|rd|th|\.)?\s(?:de\s)?(?P<n2>[^\W\d_]{3,10})\b\.?,?\s(?:de\s)?(?P<y2>\d{4})"
    r"|(?P<n3>[^\W\d_]{3,10})\.?\s(?P<d3>\d{1,2})(?:st|nd|rd|th)?,?\s(?P<y3>\d{4})"
    r"|(?P<d4>\d{1,2})[./](?P<m4>\d{1,2})[./](?P<y4>\d{4})"
    r")(?![\w-])",
    re.IGNORECASE,
)
_MOST: Final = 2_000


@dataclass(frozen=True, slots=True)
class StatedDate:
    """A day and its slice; `readings` has both where day and month could change places."""

    readings: tuple[date, ...]
    start: int
    end: int


def dates(text: str, start: int = 0, end: int | None = None) -> Iterator[StatedDate]:
    limit = len(text) if end is None else end
    for match in islice(_DATE.finditer(text, start, limit), _MOST):
        readings = tuple(_readings(match))
        if readings:
            yield StatedDate(readings, *match.span())


def day_of(value: str) -> date | None:
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return None


def _readings(match: re.Match[str]) -> Iterator[date]:
    for year, month, day in _parts(match):
        try:
            yield date(year, month, day)
        except ValueError:
            continue


def _parts(match: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    if match["y1"]:
        yield int(match["y1"]), int(match["m1"]), int(match["d1"])
    elif match["y4"]:
        first, second, year = int(match["d4"]), int(match["m4"]), int(match["y4"])
        yield year, second, first
        if first != second:
            yield year, first, second
    else:
        yield from _worded(match)


def _worded(match: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    for form in ("2", "3"):
        month = _NUMBER_OF.get((match[f"n{form}"] or "").lower())
        if month:
            yield int(match[f"y{form}"]), month, int(match[f"d{form}"])
