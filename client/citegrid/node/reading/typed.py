"""Values of fields in slices of a text, and whether a value follows from a quote."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import islice, pairwise
from typing import Any, Final

from citegrid.node.reading.amounts import numbers, priced
from citegrid.node.reading.dates import dates, day_of
from citegrid.node.reading.fields import Field, called

LONGEST_VALUE: Final = 2_000
_URL: Final = re.compile(r"https?://[^\s<>\"|]{1,2000}")
_EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_YES: Final = frozenset({"yes", "true", "on", "ja", "oui", "sí", "si", "enabled", "✓", "✔"})
_NO: Final = frozenset({"no", "false", "off", "nein", "non", "disabled", "✗", "✘", "none"})
_SENTENCE_END: Final = " .,;:"
_UNIT: Final = re.compile(r"\d\s?[^\W\d_]")
_FACTORS: Final = (*map(Decimal, (60, 3600, 86400, 24, 7, 1000, 1_000_000)), Decimal("0.001"))
_MOST_PARTS: Final = 20
_DURATION: Final = re.compile(r"P(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?")
_FIGURES: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Slice:
    value: Any
    start: int
    end: int


def read(text: str, start: int, end: int, field: Field) -> Slice | None:
    """The value that a slice states for a field; the quote is no longer than it must be."""
    start, end = trimmed(text, start, end)
    if not start < end <= start + LONGEST_VALUE:
        return None
    return next(_values(text, start, end, field), None)


def every(text: str, start: int, end: int, field: Field) -> Iterator[Slice]:
    """All values of this field's kind that a slice states."""
    return _values(text, *trimmed(text, start, end), field)


def follows(value: Any, quote: str, field: Field) -> bool:
    """True if the quote states the value: as that number, day, choice or wording."""
    if field.many and isinstance(value, list):
        return bool(value) and all(follows(each, quote, field) for each in value)
    if isinstance(value, bool):
        return any(each.value is value for each in _booleans(quote, 0, len(quote)))
    if isinstance(value, int | float):
        return _is_number(value, quote)
    if not isinstance(value, str) or not value.strip():
        return False
    day = day_of(value) if field.format in ("date", "date-time") else None
    if day is not None:
        return any(day in each.readings for each in dates(quote))
    return f" {plain(value)} " in f" {plain(quote)} " or _is_duration(value, quote)


def _is_number(value: float, quote: str) -> bool:
    """Also of another unit, where the quote has one: 90 of `1 h 30 min`, 2000 of `2 km`."""
    wanted, stated = decimal(value), list(islice(numbers(quote), _MOST_PARTS))
    if wanted is None or any(wanted in each.readings for each in stated):
        return wanted is not None
    first = [each.readings[0] for each in stated]
    if not first or not _UNIT.search(quote):
        return False
    converted = {number * factor for number in first for factor in _FACTORS}
    joined = {
        one * factor + two * factor / 60
        for one, two in pairwise(first)
        for factor in (Decimal(60), Decimal(3600))
    }
    return wanted in converted | joined


def _is_duration(value: str, quote: str) -> bool:
    """An ISO 8601 duration of a quote that has its figures: `PT1H30M` of `1 h 30 min`."""
    if not _DURATION.fullmatch(value):
        return False
    figures = set(_FIGURES.findall(value))
    return bool(figures) and figures <= set(_FIGURES.findall(quote))


def same(one: Any, other: Any, field: Field) -> bool:
    """True if two values of a field say the same."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return decimal(one) == decimal(other)
    if not (isinstance(one, str) and isinstance(other, str)):
        return bool(one == other)
    if field.format in ("date", "date-time"):
        return day_of(one) == day_of(other)
    return plain(one) == plain(other)


def decimal(value: float | str) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def plain(text: str) -> str:
    """For comparing: without case, marks between words, and differences of spacing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.sub(r"[^\w%$€£+#@/.-]+", " ", folded).split()).strip(_SENTENCE_END)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, max(start, start + len(piece.strip()))


def _values(text: str, start: int, end: int, field: Field) -> Iterator[Slice]:
    if field.choices:
        yield from _choices(text, start, end, field)
    elif field.kind in ("number", "integer"):
        yield from _numbers(text, start, end, field)
    elif field.kind == "boolean":
        yield from _booleans(text, start, end)
    elif field.kind == "string":
        yield from _strings(text, start, end, field)


def _numbers(text: str, start: int, end: int, field: Field) -> Iterator[Slice]:
    stated = list(numbers(text, start, end))
    if called(field, "price", "cost"):
        stated = [each for each in stated if priced(text, each)] or stated
    for each in stated:
        value = each.readings[0]
        whole = value == value.to_integral_value()
        if field.kind == "number" or whole:
            yield Slice(int(value) if whole else float(value), each.start, each.end)


def _strings(text: str, start: int, end: int, field: Field) -> Iterator[Slice]:
    if field.format in ("date", "date-time"):
        for each in dates(text, start, end):
            yield Slice(written(each.readings[0], field), each.start, each.end)
    elif field.format in ("uri", "url", "email"):
        pattern = _EMAIL if field.format == "email" else _URL
        for match in pattern.finditer(text, start, end):
            value = match[0].rstrip(").,;:!?'\"")
            yield Slice(value, match.start(), match.start() + len(value))
    elif start < end:
        yield Slice(text[start:end], start, end)


def written(day: date, field: Field) -> str:
    """A day as a field of this format has it."""
    return f"{day.isoformat()}T00:00:00Z" if field.format == "date-time" else day.isoformat()


def _choices(text: str, start: int, end: int, field: Field) -> Iterator[Slice]:
    for choice in field.choices:
        pattern = rf"(?<!\w){re.escape(str(choice))}(?!\w)"
        match = re.compile(pattern, re.IGNORECASE).search(text, start, end)
        if match:
            yield Slice(choice, *match.span())


def _booleans(text: str, start: int, end: int) -> Iterator[Slice]:
    for match in re.compile(r"\w+|[✓✔✗✘]").finditer(text, start, end):
        word = match[0].lower()
        if word in _YES or word in _NO:
            yield Slice(word in _YES, *match.span())
