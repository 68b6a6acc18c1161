"""Records with one value exchanged: what a known wrong item is made of.

Each way is a mistake, or a fraud, that somebody who votes should see. None changes what is not a
value of its own: a list keeps its length, an object its fields.
"""

import copy
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.values.compare import steps
from app.engine.extraction.values.typed import Context
from app.engine.extraction.values.values import fits, typed
from app.engine.judging.singles import SingleValue, letters, values

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LONGEST = 300
_NOWHERE: Final = Context("", None)

Form = dict[str, Any]
"""`{data, provenance}`."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The value that takes another's place, and its quote there (None: the quote stays)."""

    value: Any
    quote: str | None = None
    start: int | None = None


def exchanged(plan: Plan, record: Form, text: str, dice: random.Random) -> Form | None:
    """The record with one value exchanged by another of its page, or altered; None if none can
    be. Each value has the same chance, and of the ways those that are harder to see come first."""
    candidates = shuffled(plan, record["data"], dice)
    for way in (elsewhere, altered):
        for value in candidates:
            if planted := plant(way, value, record, text, dice):
                return planted
    return None


def shuffled(plan: Plan, data: Form, dice: random.Random) -> list[SingleValue]:
    """The values of a record in random order, so that each field is as likely to come first."""
    drawn: dict[str, float] = {}
    weighed = [
        (drawn.setdefault(value.pointer.split("/")[1], dice.random()), dice.random(), value)
        for value in values(plan, data)
    ]
    return [value for _, _, value in sorted(weighed, key=lambda each: each[:2])]


Way = Callable[[SingleValue, Form, str, random.Random], Exchange | None]


def plant(
    way: Way, value: SingleValue, record: Form, text: str, dice: random.Random
) -> Form | None:
    """`record` with `value` exchanged in this way."""
    exchange = way(value, record, text, dice)
    if exchange is None or _same_value(exchange.value, value.value):
        return None
    form = copy.deepcopy({name: record[name] for name in ("data", "provenance")})
    _put(form["data"], value.pointer, exchange.value)
    for each in form["provenance"]:
        if each["pointer"] == value.pointer and exchange.quote is not None:
            each.update(quote=exchange.quote, start=exchange.start)
    return form


def elsewhere(value: SingleValue, record: Form, text: str, dice: random.Random) -> Exchange | None:
    """Another slice of the page that is of the field's type: the old price, the other name."""
    taken = {letters(each["quote"]) for each in record["provenance"]}
    places = [
        (start, line)
        for start, line in _slices(value, text)
        if letters(line) and letters(line) not in taken
    ]
    dice.shuffle(places)
    for start, line in places[:20]:
        read = typed(line, value.field, _NOWHERE)
        if read is not None and not read.ambiguous and fits(value.field, read.value):
            return Exchange(read.value, line, start)
    return None


def _slices(value: SingleValue, text: str) -> list[tuple[int, str]]:
    """Numbers of the page for a number, else lines about as long as the value."""
    if isinstance(value.value, int | float):
        return [(match.start(), match[0]) for match in _NUMBER.finditer(text)][:2_000]
    if not isinstance(value.value, str):
        return []
    length, found, at = len(value.value), list[tuple[int, str]](), 0
    for line in text.split("\n")[:5_000]:
        plain = line.strip()
        if length / 3 <= len(plain) <= min(_LONGEST, 3 * length + 10):
            found.append((at + line.index(plain), plain))
        at += len(line) + 1
    return found


def altered(value: SingleValue, record: Form, text: str, dice: random.Random) -> Exchange | None:
    """A digit changed, or a word lost, while the quote stays as it was."""
    old = value.value
    if isinstance(old, bool):
        return Exchange(not old)
    if isinstance(old, int | float):
        return Exchange(old + dice.choice([1, 10, -1]) * max(1, abs(old) // 10))
    if not isinstance(old, str) or value.field.enum or value.field.format:
        return None
    if digits := [n for n, character in enumerate(old) if character in "0123456789"]:
        at = dice.choice(digits)
        return Exchange(f"{old[:at]}{(int(old[at]) + 1 + dice.randrange(8)) % 10}{old[at + 1 :]}")
    words = old.split()
    return Exchange(" ".join([*words[1:], words[0]])) if len(words) > 2 else None


def _same_value(a: Any, b: Any) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        return letters(a) == letters(b)
    return bool(a == b)


def _put(data: Any, pointer: str, value: Any) -> None:
    *above, last = steps(pointer)
    for step in above:
        data = data[int(step)] if isinstance(data, list) else data[step]
    if isinstance(data, list):
        data[int(last)] = value
    else:
        data[last] = value
