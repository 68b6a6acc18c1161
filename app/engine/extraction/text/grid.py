"""The columns of tables, with cells that span several columns or rows, and what names them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from lxml.html import HtmlElement

from app.engine.pages.blocks.walk import name_set

_MOST_COLUMNS = 60
_MOST_SPANNED = 100
_MOST_REACHING, _BY_CELL = 200, 4  # cells of rows before: of a table, and more by its own cells
_PARTS = name_set("thead tbody tfoot")
_LOUD = name_set("b strong")
_DIGIT = re.compile(r"\d")
_MOST_BELOW, _FEWEST_BELOW = 9, 2  # rows that tell whether the first one names their columns
_MOST_TEXTS = 8
_FEWEST_NAMES, _LONGEST_NAME = 2, 40
_FEWEST_COLUMNS = 3  # of a table whose first row looks as the others do


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of one table, the column of each cell from 0, and by row the cells of rows before it
    that reach into it."""

    rows: Sequence[HtmlElement]
    columns: Mapping[HtmlElement, int]
    above: Mapping[HtmlElement, Sequence[HtmlElement]]

    def own(self, row: HtmlElement) -> list[HtmlElement]:
        """The cells that stand in a row."""
        return [child for child in row if child in self.columns]

    def cells(self, row: HtmlElement) -> list[HtmlElement]:
        """The cells of a row in the order of their columns, those from rows before it as well."""
        own, above = self.own(row), self.above.get(row)
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


def names_columns(row: HtmlElement) -> bool:
    """True for a row of heads, and for a first row of plain cells that are all loud, or words above
    columns of which at least half have a number in each row."""
    before = row.getprevious()
    if len(row) and row[0].tag == "td" and before is not None and before.tag == "tr":
        return False
    cells = list(row.iterchildren("td", "th"))
    if len(cells) < _FEWEST_NAMES or all(cell.tag == "th" for cell in cells):
        return len(cells) >= _FEWEST_NAMES
    table = next(row.iterancestors("table"), None)
    first = None if table is None else next(table.iter("tr"), None)  # cells may stand in a div
    if table is None or first is not row or any(x.tag == "th" for x in cells):
        return False
    rows = (list(each.iterchildren("td", "th")) for each in table.iter("tr"))
    below = list(islice(rows, 1, _MOST_BELOW))
    if len(below) < _FEWEST_BELOW or any(len(each) != len(cells) for each in below):
        return False
    names = [_text(cell) for cell in cells]
    if not any(names) or any(len(name) > _LONGEST_NAME for name in names):
        return False
    if all(map(_is_loud, cells)):
        return not any(all(map(_is_loud, each)) for each in below)
    are_different = len(set(names)) == len(names) and not any(x[:1].isdigit() for x in names)
    if len(cells) < _FEWEST_COLUMNS or not are_different:
        return False
    return are_counted([[_text(cell) for cell in each] for each in below])


def are_counted(rows: Sequence[Sequence[str]]) -> bool:
    """True if at least half of the columns have a number in each row."""
    columns = list(zip(*rows, strict=True))
    return 2 * sum(all(map(_DIGIT.search, column)) for column in columns) >= len(columns)


def _text(cell: HtmlElement) -> str:
    return "".join(islice(cell.itertext(), _MOST_TEXTS)).strip()


def _is_loud(cell: HtmlElement) -> bool:
    """True if all that a cell shows is emphasised, or nothing is shown."""
    own = (cell.text, *(child.tail for child in cell))
    return all(child.tag in _LOUD for child in cell) and not "".join(filter(None, own)).strip()
