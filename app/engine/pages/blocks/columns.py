"""The names in a table: a row that heads the others, or a cell that heads its row."""

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

MAX_HEADER_CELL = 40  # code points; what is longer says something itself
_FIGURE = re.compile(r"[\d.,%\s+-]+")


def names_columns(cells: Sequence[str]) -> bool:
    """True if the cells of a row are names of columns."""
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
