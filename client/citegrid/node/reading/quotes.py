"""The places where a text states a value, and the check that a quote stands where it is said to."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from citegrid.node.reading.amounts import numbers, priced
from citegrid.node.reading.dates import dates, day_of
from citegrid.node.reading.fields import Field, called
from citegrid.node.reading.typed import Slice, decimal, follows

LONGEST_QUOTE: Final = 2_000
MOST_PROVENANCE: Final = 500


def stands(text: str, quote: Any, start: Any) -> bool:
    """True if the quote is the slice of the text that begins at `start`."""
    return (
        isinstance(quote, str)
        and 0 < len(quote) <= LONGEST_QUOTE
        and type(start) is int
        and start >= 0
        and text[start : start + len(quote)] == quote
    )


def supported(text: str, value: Any, field: Field, quotes: list[Mapping[str, Any]]) -> bool:
    """True if a quote that stands in the text states the value; of a list, each item."""
    standing = [
        each["quote"] for each in quotes if stands(text, each.get("quote"), each.get("start"))
    ]
    items = value if field.many and isinstance(value, list) else [value]
    return bool(standing) and all(
        any(follows(item, quote, field) for quote in standing) for item in items
    )


def found_again(text: str, quote: str) -> Slice | None:
    """The slice of the text that says the same words, however they are spaced."""
    pieces = quote.split()
    if not pieces or len(quote) > LONGEST_QUOTE:
        return None
    start = text.find(quote)
    if start >= 0:
        return Slice(quote, start, start + len(quote))
    match = re.search(r"\s+".join(re.escape(piece) for piece in pieces), text)
    return Slice(match[0], *match.span()) if match else None


def locate(text: str, value: Any, field: Field) -> Slice | None:
    """The first slice that states this value; the value as the text has it."""
    return next(_places(text, value, field), None)


def _places(text: str, value: Any, field: Field) -> Iterator[Slice]:
    if isinstance(value, bool):
        return
    day = day_of(str(value)) if field.format in ("date", "date-time") else None
    if day is not None:
        yield from (
            Slice(value, each.start, each.end) for each in dates(text) if day in each.readings
        )
    elif field.kind in ("number", "integer"):
        yield from _amounts(text, value, field)
    elif isinstance(value, str) and (place := found_again(text, value.strip())):
        yield Slice(text[place.start : place.end], place.start, place.end)


def _amounts(text: str, value: Any, field: Field) -> Iterator[Slice]:
    wanted = decimal(value) if isinstance(value, int | float | str) else None
    stated = [each for each in numbers(text) if wanted is not None and wanted in each.readings]
    if called(field, "price", "cost"):
        stated.sort(key=lambda each: not priced(text, each))
    for each in stated:
        whole = wanted is not None and wanted == wanted.to_integral_value()
        if wanted is not None and (whole or field.kind == "number"):
            yield Slice(int(wanted) if whole else float(wanted), each.start, each.end)
