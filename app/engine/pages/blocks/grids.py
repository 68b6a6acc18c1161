"""Tables and listings that CSS or roles make of elements that are none."""

from collections.abc import Sequence
from functools import partial
from itertools import takewhile

from lxml import etree
from lxml.html import HtmlElement

from app.engine.pages.blocks.entries import classes_of

_MOST_COLUMNS, _MOST_CLASSES = 12, 20
_CELLS = {"columnheader": "th", "rowheader": "th", "cell": "td", "gridcell": "td"}


def as_listings(root: HtmlElement) -> None:
    """Make listings, in place, of the fragments below `root` that have an element for each line, as
    Doxygen writes them.
    """
    for fragment in [each for each in root.iter("div") if "fragment" in classes_of(each)]:
        if len(fragment) and all("line" in classes_of(line) for line in fragment):
            fragment.tag = "pre"
            for line in fragment:
                line.tail = None  # the line's end, which is that of its element as well


def as_tables(root: HtmlElement) -> None:
    """Make tables of grids below `root`, in place.

    A grid is an element with nothing in it but cells. The first of them, two at least, have a class
    that no other has: they head the columns. So many cells are a row, and those of each column
    share a class that no other column has, as in javadoc since JDK 16.
    """
    for grid in [each for each in root.iter("div") if len(each) > 3]:
        if columns := _columns(grid):
            _rebuild(grid, columns)


def as_named_tables(root: HtmlElement) -> None:
    """Make tables, in place, of the elements below `root` of which roles say that they are one."""
    for table in [each for each in root.iter("div") if each.get("role") in ("table", "grid")]:
        below = list(table)
        groups = below if below and all(x.get("role") == "rowgroup" for x in below) else []
        rows = [row for group in groups for row in group] if groups else below
        cells = [cell for row in rows for cell in row]
        if cells and all(x.get("role") == "row" for x in rows) and all(map(_cell_tag, cells)):
            table.tag = "table"
            for row in rows:
                row.tag = "tr"
            for cell in cells:
                cell.tag = _cell_tag(cell)


def _cell_tag(element: HtmlElement) -> str | None:
    return _CELLS.get(element.get("role") or "")


def _columns(grid: HtmlElement) -> int:
    """The number of its columns; 0 for what is no grid."""
    cells = list(grid)
    if any(cell.tag != "div" or (cell.tail or "").strip() for cell in cells):
        return 0
    if (grid.text or "").strip():
        return 0
    names = [frozenset(classes_of(cell)) for cell in cells]
    return next(
        (
            columns
            for columns in sorted(map(partial(_heads, names), classes_of(cells[0])[:_MOST_CLASSES]))
            if 1 < columns <= _MOST_COLUMNS and _are_columns(names[columns:], columns)
        ),
        0,
    )


def _heads(names: Sequence[frozenset[str]], name: str) -> int:
    """The number of first cells that have a class; 0 if others have it as well."""
    first = sum(1 for _ in takewhile(lambda own: name in own, names))
    return first if first == sum(name in own for own in names) else 0


def _are_columns(names: Sequence[frozenset[str]], columns: int) -> bool:
    """True if the cells are whole rows, and the classes of each column tell it from the others."""
    if not names or len(names) % columns:
        return False
    own = [names[at::columns] for at in range(columns)]
    shared = [frozenset.intersection(*each) for each in own]
    anywhere = [frozenset().union(*each) for each in own]
    return all(
        each - frozenset().union(*(anywhere[other] for other in range(columns) if other != at))
        for at, each in enumerate(shared)
    )


def _rebuild(grid: HtmlElement, columns: int) -> None:
    cells = list(grid)
    grid.tag = "table"
    for at in range(0, len(cells), columns):
        row = etree.SubElement(grid, "tr")
        for cell in cells[at : at + columns]:
            cell.tag = "td" if at else "th"
            row.append(cell)
