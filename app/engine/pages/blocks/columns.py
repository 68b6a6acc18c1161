"""Tables: which show data, the columns that do, the names that head rows and columns."""

import re
from collections.abc import Iterator, Sequence
from itertools import compress, count, islice, zip_longest

from lxml.html import HtmlElement

from app.engine.pages.blocks.entries import classes_of

MAX_HEADER_CELL = 40  # code points; what is longer says something itself
_LONGEST_CELL = 1_500
_ROWS = re.compile(r"[2-9]|[1-9]\d")
_MOST_REACHING = 4  # cells at a time, since a table may be made of such
_FIGURE = re.compile(r"[\d.,%\s+-]+")

TableLine = list[tuple[str, int]]
"""The text of each cell of a row, and how much of it is link text."""


def names_columns(cells: Sequence[str]) -> bool:
    named = [x for x in cells if x]
    return len(set(named)) == len(named) > 0 and not any(
        len(x) > MAX_HEADER_CELL or _FIGURE.fullmatch(x) or x.endswith(".") for x in named
    )


def names_rows(rows: Sequence[Sequence[HtmlElement]]) -> bool:
    """True if each row is a name and its value: the first row heads no others.

    Such rows stand apart in a text, so that nothing takes the first for the names of columns.
    """
    pairs = [tuple(cell.tag for cell in row) for row in rows if len(row) > 1]
    return bool(pairs) and all(tags == ("th", "td") for tags in pairs)


def is_data(table: HtmlElement) -> bool:
    """True if a table shows data. Tables that arrange a page are walked like any container."""
    if table.get("role") in ("presentation", "none"):
        return False
    if lists_members(table):
        return True
    # Headed columns make data of any cell; without them, what has form of its own keeps it.
    inner: tuple[str, ...] = ("h1", "h2", "h3", "form")
    if next(table.iter("th"), None) is None:
        inner += ("pre", "ul", "ol", "dl")
    if next(table.iter(*inner), None) is not None:
        return False
    if next((inner for inner in table.iter("table") if inner is not table), None) is not None:
        return False
    widest = 0
    for row in table.iter("tr"):
        widest = max(widest, sum(cell.tag in ("td", "th") for cell in row))
    if widest < 2 and next(table.iter("th"), None) is None:
        return False
    return all(len("".join(cell.itertext())) <= _LONGEST_CELL for cell in table.iter("td"))


def lists_members(table: HtmlElement) -> bool:
    """True for a list of Doxygen's: type and name in a row, what it does in the next, and headings
    in rows of their own.
    """
    return "memberdecls" in classes_of(table)


def heading_of(row: list[HtmlElement]) -> HtmlElement | None:
    return next(row[0].iter("h2"), None) if len(row) == 1 else None


def with_spans(
    rows: Sequence[Sequence[HtmlElement]], lines: Sequence[TableLine]
) -> Iterator[TableLine]:
    """The lines of the rows of a table: what is short stands in each row that it reaches into."""
    reaching: dict[int, tuple[str, int]] = {}  # by their column: texts, and the rows left to them
    for row, own in zip(rows, lines, strict=True):
        line = list(own)
        for column, (text, _) in sorted(reaching.items()):
            if own and column <= len(line):
                line.insert(column, (text, 0))
        free = (column for column in count() if column not in reaching)
        begun = {
            column: (text, int(cell.get("rowspan") or "1") - 1)
            for column, cell, (text, _) in zip(free, row, own, strict=False)
            if _ROWS.fullmatch(cell.get("rowspan") or "") and 0 < len(text) <= MAX_HEADER_CELL
        }
        left = {column: (text, rows - 1) for column, (text, rows) in reaching.items() if rows > 1}
        reaching = dict(islice((left | begun).items(), _MOST_REACHING))
        yield line


def without_empty_columns(lines: Sequence[TableLine]) -> Iterator[TableLine]:
    """The lines of the rows of a table without the columns that only set space."""
    columns = zip_longest(*([text for text, _ in cells] for cells in lines))
    shown = [any(column) for column in columns]
    return (list(compress(cells, shown)) for cells in lines)
