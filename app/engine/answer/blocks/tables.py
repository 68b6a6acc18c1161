"""A row of a table as a reader wants it: "column: value", with the columns of its header.

A quote stays the verbatim slice; this is only how an answer shows it.
"""

import re
from itertools import groupby

from app.engine.answer.blocks.kinds import is_row
from app.engine.pages.blocks.columns import names_columns

_EMPTY = re.compile(r"[-–—.\s]*")
BETWEEN_CELLS = re.compile(r"(?<!\S)\|(?!\S)")
_LABELLED = re.compile(
    r"(?P<label>[^|\n]{1,40}?(?=:)|note|tip|hint|warning|caution|important|hinweis|warnung|achtung)"
    r":? \| (?P<value>\S[^|\n]*)",
    re.IGNORECASE,
)


def as_pairs(snapshot: str, start: int, end: int) -> str | None:
    """snapshot[start:end] with each whole row as its pairs, and without the header; else None.

    Rows of a label and its value are shown so: "Default: 5". A table without a header that can be
    told from its other rows stays as it is.
    """
    if start and snapshot[start - 1] != "\n":
        return None
    lines = snapshot[start:end].split("\n")
    if all(_LABELLED.fullmatch(line) for line in lines):
        return "\n".join(_LABELLED.sub(r"\g<label>: \g<value>", line).rstrip() for line in lines)
    if not any(is_row(line) for line in lines):
        return None
    header = _header_above(snapshot, start)
    shown: list[str] = []
    for in_table, group in groupby(lines, key=is_row):
        if in_table:
            rows = [_cells(line) for line in group]
            header = header or rows.pop(0)
            pairs = [text for row in rows if (text := _pairs(header, row))]
            if not pairs or len(pairs) < len(rows):
                return None  # of a header without rows nothing would be shown
            shown += pairs
        else:
            shown += group
        header = None
    return "\n".join(shown)


def _header_above(snapshot: str, start: int) -> list[str] | None:
    """The cells of the first of the rows that stand above `start`; None when there is none."""
    first = None
    while start:
        line_start = snapshot.rfind("\n", 0, start - 1) + 1
        line = snapshot[line_start : start - 1]
        if not is_row(line):
            break
        first, start = line, line_start
    return None if first is None else _cells(first)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in BETWEEN_CELLS.split(row)]


def _pairs(header: list[str], cells: list[str]) -> str | None:
    """None when the columns differ or nothing above is a header; the empty is left out."""
    if len(header) != len(cells) or not names_columns(header):
        return None
    pairs = [
        f"{name}: {value}" if name else value
        for name, value in zip(header, cells, strict=True)
        if not _EMPTY.fullmatch(value)
    ]
    return "; ".join(pairs) or None
