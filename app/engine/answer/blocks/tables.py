"""A row of a table as a reader wants it: "column: value", with the columns of its header.

A quote stays the verbatim slice; this is only how an answer shows it.
"""

import re

from app.engine.answer.blocks.kinds import is_row
from app.engine.pages.blocks.columns import names_columns

_EMPTY = re.compile(r"[-–—.\s]*")
BETWEEN_CELLS = re.compile(r"(?<!\S)\|(?!\S)")
_LABEL = re.compile(
    r"(?P<label>[^|\n]{1,40}:|note|tip|hint|warning|caution|important|hinweis|warnung|achtung) \| "
    r"(?P<value>\S[^|\n]*)",
    re.IGNORECASE,
)


def as_pairs(snapshot: str, start: int, end: int) -> str | None:
    """snapshot[start:end] with each whole row as its pairs, and without the header; else None.

    Rows of a label and its value are shown so: "Default: 5". A table without a header that can be
    told from its other rows stays as it is.
    """
    if start and snapshot[start - 1] != "\n":
        return None
    if _is_of_labels(snapshot[start:end]):
        return "\n".join(_labelled(line) for line in snapshot[start:end].split("\n"))
    header = _header_above(snapshot, start)
    shown: list[str | None] = []
    rows = 0
    heads_rows = True  # of a header without rows nothing would be shown
    for line in snapshot[start:end].split("\n"):
        if not is_row(line):
            if not heads_rows:
                return None
            header = None
            shown.append(line)
        elif header is None:
            header, heads_rows = _cells(line), False
        else:
            rows, heads_rows = rows + 1, True
            shown.append(_pairs(header, _cells(line)))
    texts = [text for text in shown if text is not None]
    return "\n".join(texts) if rows and heads_rows and len(texts) == len(shown) else None


def _is_of_labels(text: str) -> bool:
    """True if each line is a label and its value: "Default: | 5"."""
    return all(_LABEL.fullmatch(line) for line in text.split("\n"))


def _labelled(row: str) -> str:
    label, value = row.split(" | ", 1)
    return f"{label.removesuffix(':')}: {value.strip()}"


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
