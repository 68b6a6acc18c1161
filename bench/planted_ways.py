"""The ways in which `bench.own_check` plants errors: those of the product, and two that are harder
to see.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

from app.engine.extraction.values.typed import Context
from app.engine.extraction.values.values import fits, typed
from app.engine.judging.planted_errors import Exchange, Form, Way, altered, elsewhere
from app.engine.judging.singles import SingleValue

_LONGEST: Final = 300
_NOWHERE: Final = Context("", None)


def cut(value: SingleValue, record: Form, text: str, dice: random.Random) -> Exchange | None:
    """Only the first half of a text, quote and all."""
    quoted = _provenance(record, value)
    if quoted is None or not isinstance(value.value, str) or value.field.format:
        return None
    words = value.value.split()
    half = " ".join(words[: len(words) // 2])
    at = quoted["quote"].find(half)
    if len(words) < 4 or at < 0:
        return None
    return Exchange(half, half, quoted["start"] + at)


def _provenance(record: Form, value: SingleValue) -> dict[str, Any] | None:
    matching = (each for each in record["provenance"] if each["pointer"] == value.pointer)
    return next(matching, None)


def swapped(value: SingleValue, record: Form, text: str, dice: random.Random) -> Exchange | None:
    """The value of another field, with its quote."""
    others = [
        each
        for each in record["provenance"]
        if each["pointer"] != value.pointer and len(each["quote"]) <= _LONGEST
    ]
    dice.shuffle(others)
    for each in others:
        read = typed(each["quote"], value.field, _NOWHERE)
        if read is not None and fits(value.field, read.value):
            return Exchange(read.value, each["quote"], each["start"])
    return None


WAYS: Final[Mapping[str, Way]] = {
    "elsewhere": elsewhere,
    "altered": altered,
    "cut": cut,
    "swapped": swapped,
}
