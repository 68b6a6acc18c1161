"""Amounts, written one way: of money and tokens, exact decimals with up to nine places; of things,
with their noun.
"""

import re
from decimal import Decimal
from typing import Final

UNIT: Final = Decimal("1e-9")
"""The smallest amount; every other is a whole number of it."""

PLACES: Final = 9
PATTERN: Final = r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?$"
POSITIVE_PATTERN: Final = r"^(0\.(?=[0-9]*[1-9])[0-9]{1,9}|[1-9][0-9]{0,11}(\.[0-9]{1,9})?)$"
SIGNED_PATTERN: Final = r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,9})?$"
TOKEN_PATTERN: Final = r"^[A-Z][A-Z0-9]{1,15}$"  # noqa: S105 (no secret)

_AMOUNT: Final = re.compile(PATTERN.removesuffix("$"), re.ASCII)


def amount(text: str) -> Decimal:
    """Reads plain digits without sign or exponent, exactly. Raises ValueError."""
    if not _AMOUNT.fullmatch(text):
        raise ValueError("not an amount with up to nine decimals")
    return Decimal(text)


def text(amount: Decimal) -> str:
    """The one spelling: no exponent, no zeros at the end."""
    plain = f"{amount:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def split(amount: Decimal, parts: int) -> list[Decimal]:
    """`amount` in equal parts of whole units; the first ones have one more if it does not divide.

    Raises ValueError for an amount that is no whole number of units, or below zero.
    """
    units = amount.scaleb(PLACES)
    if units != units.to_integral_value() or units < 0 or parts < 1:
        raise ValueError("only whole units can be divided, among one at least")
    each, left = divmod(int(units), parts)
    return [UNIT * (each + (n < left)) for n in range(parts)]


def counted(number: float, noun: str) -> str:
    """`1 page`, `1,200 pages`, `0.5 days`; for nouns whose plural ends in s."""
    return f"{number:,.15g} {noun}{'' if number == 1 else 's'}"
