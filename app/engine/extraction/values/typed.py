"""A slice of a page as a value, and what was known of the page when it was read."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Context:
    """The page's statements about its values: its address (the base of links) and language."""

    url: str
    language: str | None


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A JSON value, and by which transform it follows from its slice.

    `precision` is that of a date as stated: year, month, day or second. `ambiguous` means that
    several readings fit; the value is the likeliest. `currency` is that of a price, where its
    sign names one.
    """

    value: Any
    transform: str
    precision: str | None = None
    ambiguous: bool = False
    currency: str | None = None
