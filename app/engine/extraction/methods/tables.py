"""Pairs in tables and definition lists: a cell that names another, a column under its header."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, pairwise

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import MOST_CANDIDATES, FieldCandidate, of_page
from app.engine.extraction.methods.name_match import Names
from app.engine.extraction.text.grid import grid, names_columns, span
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set

_PRIOR = 0.8
_PLAIN_PRIOR = 0.72  # the first cell is no header by its tag
_COLUMN_PRIOR = 0.6
_LONGEST_KEY = 60
_LONGEST_VALUE = 2_000
_MOST_ROWS = 1_000
_MOST_CELLS = 30
_INLINE = name_set("a abbr b bdi em font i span strong u")
_FEWEST_ROWS = 2  # with that of the heads
_CELLS = name_set("td th")
_COLONS = name_set(": ：")

Pair = tuple[HtmlElement, tuple[HtmlElement, ...], str, float]
"""What names, what is named, the method, the prior."""


def pairs(page: OneText, names: Names) -> list[FieldCandidate]:
    """The values in tables and definition lists that fields may be named by."""
    candidates: list[FieldCandidate] = []
    for key, values, method, prior in _pairs(page):
        start, end = page.places[key]
        if end - start > _LONGEST_KEY:
            continue
        name = page.text[start:end].rstrip(": ")
        if not names.alike(name, "name"):
            continue
        leaves = tuple(
            Leaf(*page.places[value], None, value)
            for value in values
            if value in page.places and len(page.of(value)) <= _LONGEST_VALUE
        )
        if leaves:
            many = len(leaves) > 1
            candidates.append(of_page(name, leaves, method, prior, many=many))
            if len(candidates) >= MOST_CANDIDATES:
                break
    return candidates


def _pairs(page: OneText) -> Iterator[Pair]:
    for element in page.places:
        if element.tag == "tr":
            yield from _row_pairs(page, element)
        elif element.tag == "table":
            yield from _columns(page, element)
        elif element.tag == "dt":
            values = tuple(_definitions(element))
            if values:
                yield element, values, "labels", _PRIOR


def _row_pairs(page: OneText, row: HtmlElement) -> Iterator[Pair]:
    """The first cell names the second; in longer rows, each header cell the one after it."""
    cells = _cells(page, row)
    if cells and heads_a_column(cells[0]):
        return
    if len(cells) == 2:
        prior = _PRIOR if cells[0].tag == "th" else _PLAIN_PRIOR
        yield cells[0], (cells[1],), "table", prior
    elif 2 < len(cells) <= _MOST_CELLS:
        for key, value in pairwise(cells):
            heads = key.tag == "th" and value.tag == "td"
            if heads or page.of(key).endswith(":"):
                yield key, (value,), "table", _PLAIN_PRIOR


def _columns(page: OneText, table: HtmlElement) -> Iterator[Pair]:
    known = grid(table)
    rows = [row for row in known.rows if row in page.places][:_MOST_ROWS]
    if len(rows) < _FEWEST_ROWS:
        return
    if not names_columns(rows[0]):
        return
    header, *body = [list(row.iterchildren("td", "th")) for row in rows]
    below: dict[tuple[int, int], list[HtmlElement]] = defaultdict(list)
    for cell in (each for cells in body for each in cells if each in page.places):
        below[known.columns[cell], span(cell)].append(cell)
    for key in header[:_MOST_CELLS]:
        values = tuple(below[known.columns[key], span(key)])
        if values and key in page.places:
            yield key, values, "table", _PRIOR if len(values) == 1 else _COLUMN_PRIOR


def heads_a_column(element: HtmlElement) -> bool:
    """True for one of several heads of columns of several rows: what is below is said of rows."""
    cell = element if element.tag in _CELLS else element.getparent()
    row = cell.getparent() if cell is not None and cell.tag in _CELLS else None
    if row is None or len(row) > _MOST_CELLS or not names_columns(row):
        return False
    table = next(row.iterancestors("table"), None)
    rows = list(islice(table.iter("tr"), _FEWEST_ROWS + 1)) if table is not None else []
    return len(rows) > _FEWEST_ROWS and rows[0] is row


def is_part(page: OneText, start: int, end: int, *, text: bool) -> bool:
    """True if a row has more values than the one in a slice, or its cell goes on below a `text`."""
    cell = page.holder(start, end)
    while cell.tag in _INLINE and cell.getparent() is not None:
        cell = cell.getparent()
    if cell.tag not in ("td", "dd") or page.places.get(cell, (0, 0))[0] != start:
        return False
    if text and page.text.startswith("\n", end) and end < page.places[cell][1]:
        return True
    values = _cells(page, cell.getparent())[1:]
    are_named = any(each.tag == "th" or page.of(each).endswith(":") for each in values)
    return len(values) > 1 and cell in values and not are_named


def _cells(page: OneText, row: HtmlElement) -> list[HtmlElement]:
    """The cells of a row that show more than a colon."""
    shown = (cell for cell in row if cell.tag in _CELLS and cell in page.places)
    return [cell for cell in shown if page.of(cell) not in _COLONS]


def _definitions(term: HtmlElement) -> Iterator[HtmlElement]:
    following = term.getnext()
    while following is not None and following.tag == "dd":
        yield following
        following = following.getnext()
