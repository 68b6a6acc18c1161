"""Dividing an amount so that nothing is lost."""

from decimal import Decimal

from app.core.amounts import PLACES, UNIT


def split(amount: Decimal, parts: int) -> list[Decimal]:
    """`amount` in equal parts of whole units; the first ones have one more if it does not divide.

    Raises ValueError for an amount that is no whole number of units, or below zero.
    """
    units = amount.scaleb(PLACES)
    if units != units.to_integral_value() or units < 0 or parts < 1:
        raise ValueError("only whole units can be divided, among one at least")
    each, left = divmod(int(units), parts)
    return [UNIT * (each + (n < left)) for n in range(parts)]
