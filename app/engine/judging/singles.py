"""The single values of a record, and whether two of them mean the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from unicodedata import normalize

from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.text.json_pointer import escaped
from app.engine.extraction.values.compare import same, value_at
from app.engine.extraction.values.measure import differ

_SHARED_WORDS = 0.8  # of the words of the shorter of two texts
_BETWEEN_WORDS = re.compile(r"[\s:;,/|()\u2013\u2014]+")


@dataclass(frozen=True, slots=True)
class SingleValue:
    pointer: str
    field: Field
    value: Any
    item: bool = False


def values(plan: Plan, data: Any, above: str = "") -> Iterator[SingleValue]:
    """Every single value of a record that the schema knows; of lists each item."""
    for each in plan.fields:
        value = data.get(each.name) if isinstance(data, dict) else None
        if value is not None and value != "":
            name = escaped(each.name)
            yield from _values_of(each, value, f"{above}/{name}")


def _values_of(field: Field, value: Any, pointer: str) -> Iterator[SingleValue]:
    items = list(enumerate(value)) if isinstance(value, list) else []
    if field.items is None and field.item is None:
        yield SingleValue(pointer, field, value)
    elif field.items is not None and isinstance(value, dict):
        yield from values(field.items, value, pointer)
    for n, item in items:
        if field.items is not None:
            yield from values(field.items, item, f"{pointer}/{n}")
        elif field.item is not None:
            yield SingleValue(f"{pointer}/{n}", field.item, item, item=True)


def compared(plan: Plan, data: dict[str, Any]) -> Iterator[Field]:
    """The fields that a record has a value for; of objects their fields."""
    for each in plan.every():
        if not each.items and value_at(data, each.pointer) not in (None, "", []):
            yield each


def alike(field: Field, a: Any, b: Any) -> bool:
    """True if two readings mean the same, however written; one may say more."""
    if isinstance(a, str) and isinstance(b, str) and not field.format:
        return _texts_alike(a, b)
    return _rounded_alike(a, b) or same(field, a, b)


def _texts_alike(a: str, b: str) -> bool:
    one, other = letters(a), letters(b)
    if not one or not other or differ([a], [b]):
        return False
    if one == other:
        return True
    short, long = sorted((words_of(a), words_of(b)), key=len)
    return len(short & long) >= _SHARED_WORDS * len(short) and bool(short)


def _rounded_alike(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return False
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return False
    places = min(_places(a), _places(b))
    return places > 0 and abs(a - b) <= 0.5000001 * 10.0**-places


def _places(number: float) -> int:
    return len(repr(float(number)).partition(".")[2].rstrip("0"))


def words_of(text: str) -> set[str]:
    return {word for part in _BETWEEN_WORDS.split(text) if (word := letters(part))}


def stands_in(text: str, whole: str) -> bool:
    """True if whole words of `whole`, one after the other, are the text, however it parts them."""
    wanted = letters(text)
    parts = [letters(word) for word in _BETWEEN_WORDS.split(whole)]
    ends = set(accumulate(map(len, parts), initial=0))
    joined, at = "".join(parts), -1
    while wanted and (at := joined.find(wanted, at + 1)) >= 0:
        if at in ends and at + len(wanted) in ends:
            return True
    return False


def letters(text: str) -> str:
    """The letters and digits of a text, whatever their case, width and accents."""
    return "".join(filter(str.isalnum, normalize("NFKD", text).casefold()))
