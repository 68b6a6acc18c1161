"""The columns of tables, with cells that span several columns or rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from app.engine.pages.blocks.walk import name_set

_MOST_COLUMNS = 60
_MOST_SPANNED = 100
_MOST_REACHING, _BY_CELL = 200, 4  # cells of rows before: of a table, and more by its own cells
_PARTS = name_set("thead tbody tfoot")


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of one table, the column of each cell from 0, and by row the cells of rows before it
    that reach into it."""

    rows: Sequence[HtmlElement]
    columns: Mapping[HtmlElement, int]
    above: Mapping[HtmlElement, Sequence[HtmlElement]]

    def cells(self, row: HtmlElement) -> list[HtmlElement]:
        """The cells of a row in the order of their columns, those from rows before it as well."""
        own, above = list(row.iterchildren("td", "th")), self.above.get(row)
        return sorted((*own, *above), key=lambda cell: self.columns.get(cell, 0)) if above else own


def grid(table: HtmlElement) -> Grid:
    """Reads where the cells of a table stand."""
    rows: list[HtmlElement] = []
    columns: dict[HtmlElement, int] = {}
    above: dict[HtmlElement, list[HtmlElement]] = {}
    left = _MOST_REACHING
    for part in _parts(table):
        reaching: dict[int, tuple[HtmlElement, int]] = {}  # the cell in a column, and rows left
        for row in part:
            rows.append(row)
            taken = {at: cell for at, (cell, _) in reaching.items()}
            if 0 < len(taken) <= left:
                above[row] = list(dict.fromkeys(taken.values()))
                left -= len(taken)
            reaching = {at: (cell, more - 1) for at, (cell, more) in reaching.items() if more > 1}
            at = 0
            for cell in row.iterchildren("td", "th"):
                while at in taken:
                    at += 1
                columns[cell] = at
                left += _BY_CELL
                below = _spanned(cell, "rowspan", least=0) - 1
                for column in range(at, at := at + span(cell)):
                    if below and column < _MOST_COLUMNS:
                        reaching[column] = cell, below if below > 0 else len(part)
    return Grid(rows, columns, above)


def _parts(table: HtmlElement) -> Iterator[list[HtmlElement]]:
    """The rows of each part of a table, which no cell reaches out of."""
    alone: list[HtmlElement] = []
    for child in table:
        if child.tag == "tr":
            alone.append(child)
        elif child.tag in _PARTS:
            yield [row for row in child if row.tag == "tr"]
    if alone:
        yield alone


def span(cell: HtmlElement) -> int:
    """Returns the number of columns a cell of a table spans."""
    return _spanned(cell, "colspan", least=1)


def _spanned(cell: HtmlElement, name: str, least: int) -> int:
    stated = cell.get(name) or ""
    known = int(stated[:5]) if stated.isascii() and stated.isdigit() else 1
    return min(_MOST_SPANNED, known) if known >= least else 1
