"""Amounts as people read them: exact, with two decimals at least."""

from decimal import Decimal

from markupsafe import Markup, escape

from app.core import amounts


def money(value: Decimal | str | None, token: str = "") -> Markup:
    """`1,234.50 USD`, `0.0031 USD`; a dash for what is not known."""
    if value is None:
        return Markup('<span class="none">–</span>')
    return escape(f"{exact(Decimal(value))} {token}".strip())


def exact(value: Decimal) -> str:
    """All its decimals, so that the lines of a table add up to their total."""
    decimals = amounts.text(value).partition(".")[2]
    return f"{value:,.{max(2, len(decimals))}f}"
