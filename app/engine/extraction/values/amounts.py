"""Numbers in a slice of a page, as its host writes them."""

from typing import Final

from app.engine.extraction.values.typed import Context
from app.engine.text.numbers import Number, in_digits

MAX_CHARACTERS: Final = 200


def amounts(text: str, context: Context) -> list[Number]:
    """The numbers of a slice in order."""
    return list(in_digits(text[:MAX_CHARACTERS], context.language, decimal=context.decimal))


def only(text: str, context: Context) -> Number | None:
    """The number that a slice is as a whole, but for white space."""
    stripped = text.strip()
    found = amounts(stripped, context)
    if len(found) != 1 or (found[0].start, found[0].end) != (0, len(stripped)):
        return None
    return found[0]
