"""Numbers in a slice of a page, as its host writes them."""

import re
from typing import Final

from app.engine.extraction.schema.schema import Field
from app.engine.extraction.schema.vocabulary import split, words
from app.engine.extraction.values.typed import Context
from app.engine.pages.blocks.walk import name_set
from app.engine.text.numbers import Number, in_digits

MAX_CHARACTERS: Final = 200
UP_TO: Final = r"\s*(?:[-–—]|(?<![^\W\d_])(?:to|until|till|bis(?: zum)?|à|au|al|a)(?![^\W\d_]))\s*"
_BESIDE = rf"(?:{UP_TO}|\s*[x×]\s*)"
_BEGUN = re.compile(rf"\d{_BESIDE}$")
_GOES_ON = re.compile(rf"{_BESIDE}\d[\d.,]*(?![\d.,]|\s?%)")

_BOUNDS = (
    "from|starting at|at least|more than|less than|over|under|up to|ab|mindestens|über|unter|bis zu"
    "|à partir de|dès|plus de|moins de|jusqu'à|desde|a partir de|más de|hasta|a partire da|fino a"
    "|vanaf|od|från|fra|от"
)
_BOUNDED_BELOW = re.compile(
    rf"(?:(?<!\w)(?:{_BOUNDS})(?!\w)|[<>≤≥])[^\w\n]{{0,3}}(?:[A-Z]{{3}} ?)?\Z", re.IGNORECASE
)
_BOUNDED_ABOVE = re.compile(r"\+(?!\w)| or more\b| and (?:up|over|above)\b", re.IGNORECASE)
_BOUND = name_set("min minimum least lowest from start starting max maximum most highest to limit")
_FORMER = "was|before|instead of|statt|bisher|vorher|früher|avant|au lieu de|antes|prima"
_RECOMMENDED = (
    "rrp|msrp|srp|list price|old price|regular price|compare at|uvp|alter preis|prix conseillé"
)
_TO_NUMBER = r"(?!\w)[^\w\n]{0,3}(?:[A-Z]{3} ?)?\Z"
_FORMERLY = re.compile(rf"(?<!\w)(?:{_FORMER}){_TO_NUMBER}", re.IGNORECASE)
_NOT_NOW = re.compile(rf"(?<!\w)(?:{_FORMER}|{_RECOMMENDED}){_TO_NUMBER}", re.IGNORECASE)
_DIGITS = re.compile(r"\d[\d.,'’]*")
_ASKS_FORMER = name_set(
    "was old before former previous list regular original rrp msrp retail uvp statt alter avant"
)
_COUNTS = words("rating count") | words("year")  # 4.5 from 12 ratings
_LONGEST_BOUND = 24


def is_bound(text: str, start: int, end: int, field: Field) -> bool:
    """True if a text says that the numbers in a slice of it are the least or the most: 49 of "from
    €49". Of a field that asks for a bound that is the value."""
    digits = [at for at in range(start, min(end, start + MAX_CHARACTERS)) if text[at].isdigit()]
    if not digits or not (_COUNTS.isdisjoint(field.words) and _BOUND.isdisjoint(split(field.name))):
        return False
    before = text[max(0, digits[0] - _LONGEST_BOUND) : digits[0]]
    return bool(_BOUNDED_BELOW.search(before) or _BOUNDED_ABOVE.match(text, digits[-1] + 1))


def asks_former(field: Field) -> bool:
    """True if a field asks for what a price was, or should be."""
    return not _ASKS_FORMER.isdisjoint(split(field.name))


def is_former(text: str, start: int, end: int, field: Field) -> bool:
    """True if a text says that the only number in a slice is what a price was: "was £20"."""
    found = list(_DIGITS.finditer(text, start, min(end, start + MAX_CHARACTERS)))
    if len(found) != 1 or asks_former(field):
        return False
    at = found[0].start()
    return bool(_FORMERLY.search(text, max(0, at - _LONGEST_BOUND), at))


def is_not_asked(text: str, start: int) -> bool:
    """True of two prices for the one that was, or is recommended."""
    return bool(_NOT_NOW.search(text, max(0, start - _LONGEST_BOUND), start))


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
    """True if a slice is one end of a range, 5 of "3 to 5", or one side of a thing: "3 x 5"."""
    return bool(_BEGUN.search(text, 0, start) or _GOES_ON.match(text, end))
