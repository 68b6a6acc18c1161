"""Read tables of values (RFC 4180): each row by itself, with the names of its columns."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from html import escape

from app.engine.pages.blocks.canonical import Block, BlockKind, lay_out
from app.engine.pages.blocks.columns import names_columns
from app.engine.pages.facts.language import language_of
from app.engine.pages.formats.sizes import MOST_TEXT_BYTES
from app.engine.pages.page import Page, PageUnreadable, Unreadable

_SEPARATORS = ",;\t|"
_STATED = re.compile(r"sep=(.)\r?\n")  # as Excel writes it above the rows
_MOST_CHARACTERS = 2 * MOST_TEXT_BYTES  # the names of columns are repeated with each row
_LOOKED_AT = 20_000
_ONE_TABLE = 1
_MOST_UNCLOSED = 20  # rows; each may be looked for to the end
csv.field_size_limit(_MOST_CHARACTERS)  # of the process: its own takes long cells for damage


def read_csv(text: str, separator: str | None = None) -> Page:
    """The page in `text`: rows as answers show those of any table, "name: value; name: value".

    Without a separator, the one that parts most cells of the first row. Raises PageUnreadable:
    EMPTY, DAMAGED, TOO_LARGE.
    """
    try:
        layout = lay_out(_blocks(_rows(text, separator)))
    except csv.Error as error:
        raise PageUnreadable(Unreadable.DAMAGED) from error
    if not layout.text:
        raise PageUnreadable(Unreadable.EMPTY)
    return Page(text=layout.text, language=language_of(layout.text))


def as_markup(text: str, separator: str | None = None) -> str:
    """The same rows as a table of HTML, of which records are read cell by cell.

    Raises PageUnreadable: EMPTY, DAMAGED, TOO_LARGE.
    """
    try:
        rows = list(_bounded(_rows(text, separator)))
    except csv.Error as error:
        raise PageUnreadable(Unreadable.DAMAGED) from error
    if not rows:
        raise PageUnreadable(Unreadable.EMPTY)
    lines = [_cells(row, "th" if n == 0 and _names(row) else "td") for n, row in enumerate(rows)]
    return f"<table>{''.join(lines)}</table>"


def _bounded(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    characters = 0
    for row in rows:
        characters += sum(map(len, row))
        if characters > _MOST_CHARACTERS:
            raise PageUnreadable(Unreadable.TOO_LARGE)
        yield row


def _cells(row: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)}</tr>"


def _rows(text: str, separator: str | None) -> Iterator[list[str]]:
    text = text.lstrip("\r\n")
    if stated := _STATED.match(text):
        text, separator = text[stated.end() :], stated[1]
    delimiter = separator or max(_SEPARATORS, key=lambda each: len(_first_row(text, each)))
    for row in _parted(list(io.StringIO(text, newline="")), delimiter):
        cells = [" ".join(cell.split()) for cell in row]
        if any(cells):
            yield cells


def _first_row(text: str, delimiter: str) -> list[str]:
    """As much of it as shows how it is parted."""
    sample = io.StringIO(text[:_LOOKED_AT], newline="")
    return next(csv.reader(sample, delimiter=delimiter), [])


def _parted(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """The cells of each row. One whose last quotation mark is missing ends with its line: it would
    swallow all rows up to the next mark.
    """
    at = unclosed = 0
    while at < len(lines):
        reader = csv.reader(map(lines.__getitem__, range(at, len(lines))), delimiter=delimiter)
        row, upto = next(reader), at + reader.line_num
        if upto > at + 1 and not _is_closed("".join(lines[at:upto]), delimiter):
            unclosed += 1
            if unclosed > _MOST_UNCLOSED:
                raise csv.Error("quotation marks are missing")
            before, _, after = lines[at].rpartition('"')
            row, upto = next(csv.reader([before + after], delimiter=delimiter)), at + 1
        yield row
        at = upto


def _is_closed(row: str, delimiter: str) -> bool:
    """True if nothing but spaces stands between the end of a quotation and that of its cell."""
    plain = re.sub(rf'" +(?=[{re.escape(delimiter)}\r\n]|$)', '"', row)
    try:
        next(csv.reader(io.StringIO(plain, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return True


def _blocks(rows: Iterator[list[str]]) -> Iterator[Block]:
    first = next(rows, [])
    names = first if _names(first) else None
    characters = 0
    for row in rows if names else (first, *rows):
        line = _pairs(names, row) if names else " | ".join(row)
        characters += len(line)
        if characters > _MOST_CHARACTERS:
            raise PageUnreadable(Unreadable.TOO_LARGE)
        yield Block(BlockKind.ROW, line, group=_ONE_TABLE)


def _names(first: Sequence[str]) -> bool:
    """True if the first row names the columns."""
    return len(first) > 1 and names_columns(first)


def _pairs(names: Sequence[str], row: Sequence[str]) -> str:
    """A row as its named values; those without a name stand alone, empty ones are left out."""
    named = (*names, *[""] * (len(row) - len(names)))
    return "; ".join(
        f"{name}: {value}" if name else value
        for name, value in zip(named, row, strict=False)
        if value
    )
