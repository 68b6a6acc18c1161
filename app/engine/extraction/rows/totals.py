"""Rows that sum up the others of a table, and are no records."""

from collections.abc import Container, Sequence
from decimal import Decimal

from app.engine.extraction.rows.cells import Cell
from app.engine.extraction.schema.vocabulary import split
from app.engine.extraction.text.onetext import OneText
from app.engine.pages.blocks.walk import name_set
from app.engine.text.numbers import in_digits

_FEWEST_SUMMED = 5  # rows with that of the sums
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


def are_sums(rows: Sequence[Sequence[Cell]], names: Container[str], page: OneText) -> bool:
    """True if the numbers of the last row are the sums of those above: of few rows, which may be
    counted from 0 to 3, that says nothing."""
    if len(rows) < _FEWEST_SUMMED or any(
        cell.path in names and _amount(cell, page) for cell in rows[-1]
    ):
        return False
    last = {cell.path: total for cell in rows[-1] if (total := _amount(cell, page))}
    sums = dict.fromkeys(last, Decimal())
    for cell in (each for row in rows[:-1] for each in row if each.path in sums):
        sums[cell.path] += _amount(cell, page) or 0
    return bool(last) and sums == last


def _amount(cell: Cell, page: OneText) -> Decimal | None:
    """The one number in a cell."""
    text = page.text[cell.start : cell.end]
    found = [each for each in in_digits(text) if each.values] if len(text) <= _LONGEST else []
    return found[0].decimals[0] if len(found) == 1 else None
