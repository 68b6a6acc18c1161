"""Amounts as people read them: two decimals, more below a cent, the exact one on hover."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Final

from markupsafe import Markup, escape

from app.core import amounts

CENT: Final = Decimal("0.01")


def money(value: Decimal | str | None, token: str = "", rounding: str = ROUND_HALF_UP) -> Markup:
    """`1,234.50 USD`, `0.0031 USD`; a dash for what is not known."""
    if value is None:
        return Markup('<span class="none">–</span>')
    exact = Decimal(value)
    number = rounded(exact, rounding)
    text, whole = f"{number} {token}".strip(), f"{amounts.text(exact)} {token}".strip()
    if Decimal(number.replace(",", "")) == exact:
        return escape(text)
    return Markup('<span title="{}">{}</span>').format(whole, text)


def spendable(value: Decimal | str | None, token: str = "") -> Markup:
    """As `money`, but never more than there is to spend."""
    return money(value, token, ROUND_DOWN)


def rounded(value: Decimal, rounding: str = ROUND_HALF_UP) -> str:
    """To a cent; what is less keeps two digits that are not zero."""
    is_small = value and abs(value) < CENT
    places = min(amounts.PLACES, 1 - value.adjusted()) if is_small else 2
    shown = value.quantize(Decimal(1).scaleb(-places), rounding)
    return amounts.text(shown) if is_small and shown else f"{shown:,.2f}"
