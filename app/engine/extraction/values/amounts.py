"""Numbers in a slice of a page, as its host writes them."""

import re
from typing import Final

from app.engine.extraction.values.typed import Context
from app.engine.text.numbers import Number, in_digits

MAX_CHARACTERS: Final = 200
_UP_TO = r"\s*(?:[-–—]|to|bis|à|a)\s*"
_BEGUN = re.compile(rf"\d{_UP_TO}$")
_GOES_ON = re.compile(rf"{_UP_TO}\d[\d.,]*(?![\d.,]|\s?%)")


def amounts(text: str, context: Context) -> list[Number]:
    """The numbers of a slice in order."""
    return list(in_digits(text[:MAX_CHARACTERS], context.language))


def only(text: str, context: Context) -> Number | None:
    """The number that a slice is as a whole, but for white space."""
    stripped = text.strip()
    found = amounts(stripped, context)
    if len(found) != 1 or (found[0].start, found[0].end) != (0, len(stripped)):
        return None
    return found[0]


def in_range(text: str, start: int, end: int) -> bool:
    """True if a slice is one end of a range: 5 of "3 to 5"."""
    return bool(_BEGUN.search(text, 0, start) or _GOES_ON.match(text, end))
