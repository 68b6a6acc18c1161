"""Rows that sum up the others of a table, and are no records."""

from collections.abc import Container, Sequence
from decimal import Decimal

from app.engine.extraction.rows.cells import Cell
from app.engine.extraction.schema.vocabulary import split
from app.engine.extraction.text.onetext import OneText
from app.engine.pages.blocks.walk import name_set
from app.engine.text.numbers import in_digits

_LONGEST = 40  # characters of a number with what it counts
_TOTALS = name_set(
    "total totals subtotal sum gesamt gesamtsumme summe insgesamt zwischensumme totaal totale "
    "somme suma razem итого всего celkem összesen yhteensä totalt toplam 合計 合计 总计 합계"
)
_OF_TOTALS = _TOTALS | name_set("grand sub net gross overall all in")


def is_called_total(row: Sequence[Cell], names: Container[str], page: OneText) -> bool:
    """True if a row with numbers is called a total."""
    called = [set(split(page.text[cell.start : cell.end])) for cell in row if cell.path in names]
    is_total = any(each <= _OF_TOTALS and _TOTALS & each for each in called)
    return is_total and any(_amount(cell, page) for cell in row)


def _amount(cell: Cell, page: OneText) -> Decimal | None:
    """The one number in a cell."""
    text = page.text[cell.start : cell.end]
    found = [each for each in in_digits(text) if each.values] if len(text) <= _LONGEST else []
    return found[0].decimals[0] if len(found) == 1 else None
