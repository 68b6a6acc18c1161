"""The figures and dates a sentence states, in a form in which two sentences can be compared."""

import re
from dataclasses import dataclass
from decimal import Decimal

from app.engine.text.numbers import Number, numbers
from app.engine.text.stopwords import FUNCTION_WORDS

_YEAR = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d\d)(?![\d]|[.,]\d)")
_UNIT = re.compile(r"[ -]?(?P<unit>%|[^\W\d_]+)")
_SIGN = re.compile(r"[$€£¥](?= ?$)")
_GLUED = re.compile(r"[\w.,-]$")  # before what is a part of a range, a version, a name
_MONTHS = {
    **dict.fromkeys(("jan", "ene", "gen"), 1), **dict.fromkeys(("feb", "fév"), 2),
    **dict.fromkeys(("mar", "mär"), 3), **dict.fromkeys(("apr", "avr", "abr"), 4),
    **dict.fromkeys(("may", "mai", "mag"), 5), "jun": 6, "giu": 6, "jui": 0, "jul": 7, "lug": 7,
    **dict.fromkeys(("aug", "aoû", "ago"), 8), **dict.fromkeys(("sep", "set"), 9),
    **dict.fromkeys(("oct", "okt", "ott", "out"), 10), "nov": 11,
    **dict.fromkeys(("dec", "dez", "déc", "dic"), 12),
}  # fmt: skip
_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|"
    r"août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"septiembre|octubre|noviembre|diciembre)\b",
    re.IGNORECASE,
)
_DAY_BESIDE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?(?: de| of)? $")
_DAY_BEHIND = re.compile(r" (\d{1,2})(?:st|nd|rd|th)?(?!\d)")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it counts (a word, `%` or a currency sign; empty when nothing is said)."""

    shown: str
    number: Number
    unit: str
    start: int

    @property
    def value(self) -> Decimal:
        """In ones, as it is most probably meant."""
        return self.number.values[0].value

    def contradicts(self, other: "Figure") -> bool:
        """Whether both count the same in different numbers; a rounded number is no other one."""
        return self.unit == other.unit and not self.number.agrees(other.number)


@dataclass(frozen=True, slots=True)
class Date:
    """A year, with month and day where they stand beside it."""

    shown: str
    year: int
    month: int | None
    day: int | None
    start: int

    def contradicts(self, other: "Date") -> bool:
        """Whether the two differ in something that both say."""
        if self.year != other.year:
            return True
        if None in (self.month, other.month) or self.month != other.month:
            return None not in (self.month, other.month)
        return None not in (self.day, other.day) and self.day != other.day


def years(sentence: str) -> frozenset[str]:
    """What reads as a year from 1000 to 2099."""
    return frozenset(_YEAR.findall(sentence))


def dates(sentence: str, _: str | None = None) -> list[Date]:
    """Each year of a sentence; when there is one year and one month, that month with its day."""
    by_year = [Date(x[0], int(x[0]), None, None, x.start()) for x in _YEAR.finditer(sentence)]
    months = list(_MONTH.finditer(sentence))
    if len(by_year) != 1 or len(months) != 1:
        return by_year
    (date,), (month,) = by_year, months
    beside = _DAY_BESIDE.search(sentence, 0, month.start())
    behind = _DAY_BEHIND.match(sentence, month.end())
    day = beside or behind
    start = min(date.start, month.start(), day.start(1) if day else date.start)
    end = max(date.start + len(date.shown), month.end())
    number = _MONTHS.get(month[0].casefold()[:3]) or None
    return [Date(sentence[start:end], date.year, number, int(day[1]) if day else None, start)]


def figures(sentence: str, language: str | None = None) -> list[Figure]:
    """The numbers of a sentence but those that read as years, in order."""
    return [
        _figure(sentence, number)
        for number in numbers(sentence, language)
        if number.values
        and not _YEAR.fullmatch(number.written)
        and not _GLUED.search(sentence, number.start - 1 if number.start else 0, number.start)
    ]


def _figure(sentence: str, number: Number) -> Figure:
    unit, end = _unit(sentence, number.end)
    sign = _SIGN.search(sentence, max(0, number.start - 2), number.start)
    start = sign.start() if sign else number.start
    shown = sentence[start : number.end if sign or not unit else end]
    return Figure(shown, number, sign[0] if sign else unit, start)


def _unit(sentence: str, position: int) -> tuple[str, int]:
    """What is counted: `%` or the next word, unless that is a function word; and where it ends."""
    unit = _UNIT.match(sentence, position)
    name = unit["unit"].casefold() if unit else ""
    return (name, unit.end()) if unit and name not in FUNCTION_WORDS else ("", position)
