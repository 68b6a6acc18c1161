"""The figures and dates a sentence states, in a form in which two sentences can be compared."""

import re
from dataclasses import dataclass
from decimal import Decimal
from operator import itemgetter

from app.engine.text.dates import Date, Day, apart
from app.engine.text.numbers import Number, numbers
from app.engine.text.stopwords import FUNCTION_WORDS

_YEAR = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d\d)(?![\d]|[.,]\d)")
_UNIT = re.compile(r"[ -]?(?P<unit>%|[^\W\d_]+)")
_SIGN = re.compile(r"[$€£¥](?= ?$)")
_GLUED = re.compile(r"[\w.,-]$")  # before what is a part of a range, a version, a name


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it counts (a word, `%` or a currency sign; empty when nothing is said)."""

    shown: str
    number: Number
    unit: str

    @property
    def value(self) -> Decimal:
        """In ones, as it is most probably meant."""
        return self.number.decimals[0]

    def contradicts(self, other: "Figure") -> bool:
        """True if both count the same in different numbers; a rounded number is no other one."""
        return self.unit == other.unit and not self.number.agrees(other.number)


@dataclass(frozen=True, slots=True)
class DateValue:
    """A year, with month and day where they stand beside it."""

    shown: str
    day: Day

    def contradicts(self, other: "DateValue") -> bool:
        """True if the two differ in something that both say."""
        for one, another in zip(self.day, other.day, strict=True):
            if one != another:
                return None not in (one, another)
        return False


def years(sentence: str) -> frozenset[str]:
    """Returns the figures that read as a year from 1000 to 2099."""
    return frozenset(_YEAR.findall(sentence))


def dates(sentence: str, language: str | None = None) -> list[DateValue]:
    """Each year of a sentence, with the month and the day that belong to it."""
    stated, rest = apart(sentence, language)
    found = [
        (date.start, DateValue(sentence[date.start : date.end], _certain(date)))
        for date in stated
        if date.days[0].year
    ]
    alone = ((x.start(), DateValue(x[0], Day(int(x[0]), None, None))) for x in _YEAR.finditer(rest))
    return [value for _, value in sorted([*found, *alone], key=itemgetter(0))]


def _certain(date: Date) -> Day:
    return date.days[0] if len(date.days) == 1 else Day(date.days[0].year, None, None)


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
    return Figure(shown, number, sign[0] if sign else unit)


def _unit(sentence: str, position: int) -> tuple[str, int]:
    """Returns the unit that is counted: `%` or the next word, unless that is a function word; and
    where it ends.
    """
    unit = _UNIT.match(sentence, position)
    name = unit["unit"].casefold() if unit else ""
    return (name, unit.end()) if unit and name not in FUNCTION_WORDS else ("", position)
