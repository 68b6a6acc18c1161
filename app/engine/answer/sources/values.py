"""The figures and dates a sentence states, in a form in which two sentences can be compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.engine.text.dates import Date, Day, apart
from app.engine.text.numbers import Number, numbers
from app.engine.text.stopwords import FUNCTION_WORDS

_YEAR = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d\d)(?![\d]|[.,]\d)")
_UNIT = re.compile(r"[ -]?(?P<unit>%|[^\W\d_]+)")
_SIGN = re.compile(r"[$€£¥](?= ?$)")
_GLUED = re.compile(r"[\w.,-]$")  # before what is a part of a range, a version, a name


@dataclass(frozen=True, slots=True)
class StatedValue:
    """sentence[start:end]: a day as far as it is said, or a number with what it counts (a word,
    `%` or a currency sign; empty when nothing is said)."""

    shown: str
    start: int
    end: int
    day: Day | None = None
    number: Number | None = None
    unit: str = ""

    def contradicts(self, other: "StatedValue") -> bool:
        """True if days differ in something that both say, or the same is counted in different
        numbers; a rounded number is no other one."""
        if self.number and other.number:
            return self.unit == other.unit and not self.number.agrees(other.number)
        for one, another in zip(self.day or (), other.day or (), strict=False):
            if one != another:
                return None not in (one, another)
        return False


def values(sentence: str, language: str | None = None) -> list[StatedValue]:
    """The values of a sentence: its dates, its years, and its other numbers."""
    dates, rest = apart(sentence, language)
    days = [(x.start, x.end, _certain(x)) for x in dates if x.days[0].year]
    days += [(*x.span(), Day(int(x[0]), None, None)) for x in _YEAR.finditer(rest)]
    dated = [StatedValue(sentence[a:b], a, b, day) for a, b, day in days]
    return [*dated, *_figures(rest, language)]


def _certain(date: Date) -> Day:
    return date.days[0] if len(date.days) == 1 else Day(date.days[0].year, None, None)


def _figures(sentence: str, language: str | None) -> Iterator[StatedValue]:
    for number in numbers(sentence, language):
        start, end = number.start, number.end
        glued = _GLUED.search(sentence, max(0, start - 1), start)
        if not number.values or glued or _YEAR.fullmatch(number.written):
            continue
        if sign := _SIGN.search(sentence, max(0, start - 2), start):
            start, unit = sign.start(), sign[0]
        else:
            found = _UNIT.match(sentence, end)
            unit = found["unit"].casefold() if found else ""
            unit = "" if unit in FUNCTION_WORDS else unit
            end = found.end() if found and unit else end
        yield StatedValue(sentence[start:end], start, end, number=number, unit=unit)
