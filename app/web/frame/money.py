"""Amounts as people read them: two decimals, more below a cent, the exact one on hover."""

from decimal import Decimal
from typing import Final

from markupsafe import Markup, escape

from app.core import amounts

CENT: Final = Decimal("0.01")


def money(value: Decimal | str | None, token: str = "") -> Markup:
    """`1,234.50 USD`, `0.0031 USD`; a dash for what is not known."""
    if value is None:
        return Markup('<span class="none">–</span>')
    exact = Decimal(value)
    text, whole = f"{rounded(exact)} {token}".strip(), f"{amounts.text(exact)} {token}".strip()
    if Decimal(rounded(exact).replace(",", "")) == exact:
        return escape(text)
    return Markup('<span title="{}">{}</span>').format(whole, text)


def rounded(value: Decimal) -> str:
    """To a cent; what is less keeps two digits that are not zero."""
    if not value or abs(value) >= CENT:
        return f"{value:,.2f}"
    text = f"{value:.{min(amounts.PLACES, 1 - value.adjusted())}f}".rstrip("0")
    return text if len(text.partition(".")[2]) >= 2 else f"{value:.2f}"
