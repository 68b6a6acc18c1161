"""Tables that are drawn with other elements: rows of as many elements below one that names them."""

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from app.engine.extraction.text.grid import Grid, are_counted
from app.engine.extraction.text.onetext import OneText
from app.engine.pages.blocks.walk import name_set

_FEWEST_COLUMNS, _MOST_COLUMNS, _FEWEST_ROWS, _MOST_BELOW = 3, 60, 3, 8
_LONGEST_NAME = 40
_OTHERWISE = name_set("table thead tbody tfoot tr dl select nav")
_NAME = re.compile(r"[^\d\n]*[^\W\d_][^\d\n]*")


def drawn(page: OneText, parent: HtmlElement) -> Grid | None:
    """The rows below an element, the first of which, or else what stands before the element, names
    their columns, and is the first of the grid."""
    if parent.tag in _OTHERWISE or not len(parent) > 0:
        return None
    rows = [each for each in parent if each in page.places]
    before = parent.getprevious()
    if before is not None and before in page.places:
        head = before[0] if len(before) == 1 else before
        return _grid(page, rows) or _grid(page, [head, *rows])
    return _grid(page, rows)


def _grid(page: OneText, rows: Sequence[HtmlElement]) -> Grid | None:
    if len(rows) < _FEWEST_ROWS:
        return None
    head, *below = [_cells(row) for row in rows[: _MOST_BELOW + 1]]
    if not _FEWEST_COLUMNS <= len(head) <= _MOST_COLUMNS:
        return None
    names = [page.of(cell) for cell in head]
    are_names = all(len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) for name in names)
    if not are_names or len(set(names)) < len(names) or any(len(x) != len(head) for x in below):
        return None
    looks = {row.get("class") for row in rows[1:]}
    values = [[page.of(cell) for cell in each] for each in below]
    if rows[0].get("class") in looks and not are_counted(values):
        return None
    places = {cell: at for row in rows for at, cell in enumerate(_cells(row))}
    return Grid(rows, places, {})


def _cells(row: HtmlElement) -> list[HtmlElement]:
    """The elements in a row that shows nothing beside them."""
    said = (row.text, *(child.tail for child in row))
    is_whole = not "".join(filter(None, said)).strip()
    return [child for child in row if isinstance(child.tag, str)] if is_whole else []
