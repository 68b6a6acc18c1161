"""The headings of the columns of tables, and labels of tables without them."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from app.engine.extraction.text.drawn import drawn
from app.engine.extraction.text.grid import Grid, grid, names_columns, span
from app.engine.extraction.text.onetext import OneText

_MOST = 60
_MOST_HEADS = 4
_MOST_OF_ROWS = 0.5  # more of them in the type of headings are rows like others

_LABEL = re.compile(r"[^\W\d_][^\n]{0,39}")
_FEWEST_TABLES = 2
_LEAST = 0.5  # the share of a table's rows that must begin with a label

Firsts = dict[HtmlElement, str]
"""First cells with their texts."""
Header = Sequence[tuple[str, ...]]
"""By column the names it is known by: below a heading of several columns its own, and both."""


@dataclass(frozen=True, slots=True)
class _Table:
    grid: Grid
    headers: Mapping[HtmlElement, Header]
    heads: Collection[HtmlElement]


class Headers:
    """Reads the headings above the rows of tables, those of each table once."""

    def __init__(self, page: OneText) -> None:
        self._page = page
        self._known: dict[HtmlElement, _Table | None] = {}  # by row, and by table
        self._drawn: dict[HtmlElement, _Table | None] = {}  # by the element around the rows

    def of(self, row: Sequence[HtmlElement]) -> Header:
        """The headings above a row, by column; () for what is no row of a table with a head."""
        table = self._of(row[0])
        return table.headers.get(row[0], ()) if table else ()

    def is_head(self, row: Sequence[HtmlElement]) -> bool:
        """True if a row holds headings: those of the columns, or one of the rows below it."""
        table = self._of(row[0])
        return table is not None and row[0] in table.heads

    def cells(self, row: HtmlElement) -> Sequence[HtmlElement]:
        """The cells of a row by column, those of rows before it that reach into it as well."""
        table = self._of(row)
        return table.grid.cells(row) if table else ()

    def column(self, cell: HtmlElement) -> int:
        """The column that a cell of a table stands in, from 0."""
        table = self._of(cell.getparent())
        return table.grid.columns.get(cell, 0) if table else 0

    def cell(self, row: HtmlElement, element: HtmlElement) -> HtmlElement | None:
        """The cell of a table that an element of a row is or stands in."""
        table = self._of(row)
        while table is not None and element is not None and element is not row:
            if element in table.grid.columns:
                return element
            element = element.getparent()
        return None

    def _of(self, row: HtmlElement | None) -> _Table | None:
        if row is None:
            return None
        if row.tag != "tr":
            return self._of_drawn(row)
        if row not in self._known:
            table = next(row.iterancestors("table"), None)
            if table is not None and table not in self._known:
                self._known[table] = self._read(grid(table))
            self._known[row] = None if table is None else self._known[table]
        return self._known[row]

    def _of_drawn(self, row: HtmlElement) -> _Table | None:
        """The table that is drawn with other elements, in which a row is one, or the head."""
        parent = row.getparent()
        for each in () if parent is None else (parent, parent.getnext()):
            if each is not None and each not in self._drawn:
                known = drawn(self._page, each)
                self._drawn[each] = self._named(known) if known else None
            table = None if each is None else self._drawn[each]
            if table and (row in table.headers or row in table.heads):
                return table
        return None

    def _named(self, known: Grid) -> _Table:
        head, *below = known.rows
        return _Table(known, dict.fromkeys(below, self._header([head], known)), {head})

    def _read(self, known: Grid) -> _Table:
        headers: dict[HtmlElement, Header] = {}
        heads: set[HtmlElement] = set()
        header: Header = ()
        several = sum(map(holds_heads, known.rows)) <= _MOST_OF_ROWS * len(known.rows)
        for at, row in enumerate(known.rows):
            if row in heads:
                continue
            if (several or not at) and (above := _heads(known.rows[at : at + _MOST_HEADS])):
                header = self._header(above, known)
                heads.update(above)
            elif header and is_title(row):
                heads.add(row)
            headers[row] = header
        return _Table(known, headers, heads)

    def _header(self, heads: Sequence[HtmlElement], known: Grid) -> Header:
        names: dict[int, list[str]] = defaultdict(list)
        for row in heads:
            for cell in () if is_title(row) else known.own(row):
                at, name = known.columns[cell], self._name(cell)
                for column in range(at, min(at + span(cell), _MOST)):
                    names[column] += [name] if name else []
        return [_names(names[at]) for at in range(max(names, default=-1) + 1)]

    def _name(self, cell: HtmlElement) -> str:
        """The text of a heading; of a short form the title that says it in full."""
        shown = self._page.of(cell)
        full = (each.get("title") for each in cell.iter("abbr") if self._page.of(each) == shown)
        return next(filter(None, full), shown)


def _heads(rows: Sequence[HtmlElement]) -> list[HtmlElement]:
    """The rows of headings that these begin with: titles, and the names of the columns, in several
    rows where one of them spans several columns."""
    heads: list[HtmlElement] = []
    for row in rows:
        if not holds_heads(row) and not (is_title(row) and not heads):
            break
        heads.append(row)
        if not is_title(row) and all(span(cell) == 1 for cell in row.iterchildren("td", "th")):
            break
    return heads if any(map(holds_heads, heads)) else []


def _names(above: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*above[-1:], " ".join(above)))) if above else ()


def holds_heads(row: HtmlElement) -> bool:
    """True for a row of a table that names its columns."""
    parent = row.getparent()
    if parent is not None and parent.tag == "thead":
        return True
    return names_columns(row)


def is_title(row: HtmlElement) -> bool:
    """True for a row of one cell that says what the rows below it are about, and names no column:
    it heads them, or spans several columns."""
    cells = list(row.iterchildren("td", "th"))
    return len(cells) == 1 and (holds_heads(row) or span(cells[0]) > 1)


def table_labels(page: OneText) -> frozenset[HtmlElement]:
    """The cells that name the one beside them, although their tag is that of a value.

    At least half the rows of a table must begin with a text of their own that comes again: values
    do that by chance.
    """
    tables = _tables(page)
    often = Counter(text for firsts in tables for text in set(firsts.values()))
    found: set[HtmlElement] = set()
    for firsts in tables:
        labels = [cell for cell, text in firsts.items() if text and often[text] >= _FEWEST_TABLES]
        different = len({firsts[cell] for cell in labels}) == len(labels)
        if different and len(labels) >= _LEAST * len(firsts):
            found.update(labels)
    return frozenset(found)


def _tables(page: OneText) -> list[Firsts]:
    """The first cells of the rows of two cells, table by table; of tables without a head."""
    headers = Headers(page)
    tables: dict[HtmlElement, Firsts] = defaultdict(dict)
    for row in page.places:
        if row.tag != "tr" or headers.of([row]):
            continue
        cells = list(row.iterchildren("td", "th"))
        table = next(row.iterancestors("table"), None)
        if table is not None and len(cells) == 2 and {cell.tag for cell in cells} == {"td"}:
            text = page.of(cells[0])
            tables[table][cells[0]] = text if _LABEL.fullmatch(text) else ""
    return list(tables.values())
