"""The names of the columns of a table: a row that heads the others."""

import re
from collections.abc import Sequence

MAX_HEADER_CELL = 40  # code points; what is longer says something itself
_FIGURE = re.compile(r"[\d.,%\s+-]+")


def names_columns(cells: Sequence[str]) -> bool:
    """True if the cells of a row are names of columns."""
    named = [x for x in cells if x]
    return len(set(named)) == len(named) > 0 and not any(
        len(x) > MAX_HEADER_CELL or _FIGURE.fullmatch(x) or x.endswith(".") for x in named
    )
