"""The headings of the columns of tables."""

from collections.abc import Sequence

from lxml.html import HtmlElement

from app.engine.extraction.text.onetext import OneText

_MOST = 60

Header = Sequence[str]


class Headers:
    """Reads the headings above the rows of tables, those of each table once."""

    def __init__(self, page: OneText) -> None:
        self._page = page
        self._known: dict[HtmlElement, tuple[HtmlElement | None, Header]] = {}

    def of(self, row: Sequence[HtmlElement]) -> Header:
        """The headings above a row, by column; () for what is no row of a table with a head."""
        return self._of(row[0])[1]

    def is_head(self, row: Sequence[HtmlElement]) -> bool:
        """True if a row holds the headings."""
        return self._of(row[0])[0] is row[0]

    def _of(self, row: HtmlElement) -> tuple[HtmlElement | None, Header]:
        table = next(row.iterancestors("table"), None) if row.tag == "tr" else None
        if table is None:
            return None, ()
        if table not in self._known:
            self._known[table] = self._read(table)
        return self._known[table]

    def _read(self, table: HtmlElement) -> tuple[HtmlElement | None, Header]:
        first = next(table.iter("tr"), None)
        if first is None or len(first) > _MOST or not holds_heads(first):
            return None, ()
        cells = list(first.iterchildren("td", "th"))
        if len(cells) == 1:  # it says what the table is about, and names no column
            return first, ()
        header = [self._page.of(cell) for cell in cells for _ in range(span(cell))]
        return first, header[:_MOST]


def holds_heads(row: HtmlElement) -> bool:
    """True for a row of a table that names its columns."""
    parent = row.getparent()
    if parent is not None and parent.tag == "thead":
        return True
    cells = list(row.iterchildren("td", "th"))
    return len(cells) > 1 and all(cell.tag == "th" for cell in cells)


def span(cell: HtmlElement) -> int:
    """Returns the number of columns a cell of a table spans."""
    stated = cell.get("colspan") or ""
    return min(100, int(stated)) if stated.isascii() and stated.isdigit() and stated != "0" else 1
