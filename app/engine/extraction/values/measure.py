"""The currency and the unit that stand beside a number: 20 EUR and 20 USD are not the same."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from app.engine.extraction.schema.measures import currency_of, unit_of
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.values.currencies import codes_of, signs
from app.engine.extraction.values.quantities import measures_time
from app.engine.text.units import WORD, unit

_MOST_CHARACTERS: Final = 400
_UNIT: Final = re.compile(rf"\d[ \u00a0\u202f-]?{WORD}(?![^\W\d_])")
_SIZES: Final = (
    r"(?:thousands?|millions?|billions?|tausend|tsd|mio|mln|mrd|milliers?|millionen|milliarden"
    r"|milliards?)\b"
)
_SIZE_WORD: Final = re.compile(_SIZES, re.IGNORECASE)
_MONEY: Final = r"(?:[$€£]|EUR|USD|GBP|CHF|euros?\b|dollars?\b|pounds?\b|francs?\b|franken\b)"
_SIZE: Final = re.compile(
    rf"(?:[(\[,][^)\]\d]*|\b(?:in|en) (?:[$€£] ?)?)\b{_SIZES}|['’]000\b"
    rf"|\b(?:in|en) (?:{_MONEY} ?)1[.,’' ]?000\b|\b(?:in|en) 1[.,’' ]?000 ?{_MONEY}"
    rf"|(?<!\d[ \u00a0]){_SIZES} (?:of |de |d['’]){_MONEY}"
    r"|(?<!\w)[$€£] ?(?:000s?|mn?|bn|k|(?:thousand|million|billion)s?)(?!\w)"
    r"|(?<![\w.,])(?:T€|TEUR|k€|Md?€|(?:(?:tsd|mio|mrd)\.?) ?(?:€|EUR|CHF|USD|Euro))(?!\w)",
    re.IGNORECASE,
)


def differ(some: Iterable[str], others: Iterable[str], field: Field | None = None) -> bool:
    """True if both name a currency, or a unit, and none in common.

    The unit of a field whose numbers are converted says nothing: 60 minutes are 1 hour.
    """
    one, other = ([text[:_MOST_CHARACTERS] for text in texts] for texts in (some, others))
    if _apart(_currencies, one, other):
        return True
    return not (field and _is_converted(field)) and _apart(_units, one, other)


def is_otherwise(label: str, text: str, field: Field) -> bool:
    """True if a label has its numbers in another currency, unit or size than a field wants:
    `Weight (g)` for kilograms. It says nothing of a text that names its own."""
    label = label[:_MOST_CHARACTERS]
    if any(map(str.isalpha, text)):
        return False
    codes = _currencies(label) | {currency_of("", label)} - {None}
    if field.currency and codes and not _currencies(text):
        return field.currency not in codes
    stated = unit(unit_of("", label) or "")
    wanted = unit(field.unit or ("min" if measures_time(field) else ""))
    if stated and wanted and stated.dimension == wanted.dimension and not _units(text):
        return stated.symbol != wanted.symbol
    return is_in_size(label, field)


def is_in_size(text: str, field: Field) -> bool:
    """True if a text says that numbers are thousands or more, and the field does not."""
    own = f"{field.name} {field.description}".replace("_", " ")
    return bool(_SIZE.search(text)) and not _SIZE_WORD.search(own)


def _is_converted(field: Field) -> bool:
    return field.type in ("number", "integer") and (bool(field.unit) or measures_time(field))


def _apart(names: Callable[[str], set[str]], one: Iterable[str], other: Iterable[str]) -> bool:
    mine, theirs = (set[str]().union(*map(names, texts)) for texts in (one, other))
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def _currencies(text: str) -> set[str]:
    return {code for sign in signs(text) for code in codes_of(sign[0])}


def _units(text: str) -> set[str]:
    known = (unit(match["unit"]) for match in _UNIT.finditer(text))
    return {each.symbol for each in known if each}
