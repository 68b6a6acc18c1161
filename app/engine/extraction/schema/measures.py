"""The unit and the currency in which the name or description of a property wants its value."""

import re
from typing import Final

from babel.core import get_global

from app.engine.extraction.schema.vocabulary import split, words
from app.engine.text.units import unit

_MOST_CHARACTERS = 1000
_MONEY: Final = words("price") | words("salary") | words("fee total budget revenue value pay wage")
_NAMED: Final = {
    "euro": "EUR", "euros": "EUR", "€": "EUR", "dollar": "USD", "dollars": "USD", "£": "GBP",
    "yen": "JPY", "¥": "JPY", "zloty": "PLN",
    "rupees": "INR", "₹": "INR", "yuan": "CNY", "won": "KRW", "rubles": "RUB",
}  # fmt: skip
_IN = re.compile(
    r"\b(?:in|as|of)\s+(?:whole\s+|full\s+|us\s+)?(?P<word>[^\s,;.()\[\]]{1,24})|"
    r"[(\[](?:in\s+)?(?P<symbol>[^\s()\[\]]{1,12})[)\]]",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[A-Z]{3}\b")
_TIMES: Final = words("total time") | words("prep time") | words("cook time")
_LASTING: Final = frozenset({"time", "duration", "dauer", "zeit", "durée", "duración", "durata"})
# Letters that are more often a size, a vitamin or a variant than a unit.
_AMBIGUOUS: Final = frozenset({"K", "k", "V", "v", "W", "w", "B", "b", "J", "j", "d", "t", "st"})

_NO_MEASURE: Final = _AMBIGUOUS | {"min", "in"}  # the least, or a place


def is_currency(code: str) -> bool:
    """True if three capitals are a currency of ISO 4217."""
    return code in get_global("all_currencies")


def unit_of(name: str, description: str) -> str | None:
    """`total_time_minutes`, `weight (kg)`, "in minutes": the symbol of a unit we know."""
    parts = _parts(name)
    is_least = parts[-1:] == ("min",) and not is_time(" ".join(parts[:-1]))
    if parts and parts[-1] not in _AMBIGUOUS and not is_least:
        known = unit(parts[-1])
        if known and (len(parts) > 1 or len(parts[-1]) > 2):
            return known.symbol
    for mention in _mentions(description):
        known = unit(mention)
        if known and mention not in _AMBIGUOUS:
            return known.symbol
    return _of_time(description) if is_time(name) else None


def without_measure(name: str) -> str:
    """The name of a number without the unit or the currency at its end: `height_m` is a height."""
    parts = _parts(name)
    if len(parts) < 2 or parts[-1] in _NO_MEASURE:
        return name
    return " ".join(parts[:-1]) if unit(parts[-1]) or is_currency(parts[-1].upper()) else name


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a name, a unit with its exponent as one: m2."""
    parts = split(name)
    whole = "".join(parts[-2:])
    return (*parts[:-2], whole) if parts[-1:] in (("2",), ("3",)) and unit(whole) else parts


def is_time(name: str) -> bool:
    """True if a name is that of how long something takes: `total_time`, `duration`, "Kochzeit"."""
    parts = split(name)
    return bool(parts) and (parts[-1] in _LASTING or bool(_TIMES & words(name)))


def _of_time(description: str) -> str | None:
    """The first unit of time that a description mentions: "Minutes of preparation"."""
    known = [unit(word) for word in split(description) if len(word) > 2]
    return next((each.symbol for each in known if each and each.dimension == "time"), None)


def currency_of(name: str, description: str) -> str | None:
    """`price_eur`, "in USD", "in euros": a code of ISO 4217."""
    parts = split(name)
    code = parts[-1].upper() if parts else ""
    if len(parts) > 1 and is_currency(code) and _MONEY & words(" ".join(parts[:-1])):
        return code
    for mention in _mentions(description):
        if mention.casefold() in _NAMED:
            return _NAMED[mention.casefold()]
        if _CODE.fullmatch(mention) and is_currency(mention):
            return mention
    return None


def _mentions(description: str) -> list[str]:
    found = _IN.finditer(description[:_MOST_CHARACTERS])
    return [match["word"] or match["symbol"] for match in found]
