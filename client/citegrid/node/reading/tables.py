"""Tables in a text: rows of cells below a row that names the columns."""

from collections.abc import Iterator, Sequence
from typing import Final

from citegrid.node.reading.fields import Field, alike
from citegrid.node.reading.labels import TextLine, cells_of
from citegrid.node.reading.typed import Slice, read

_LEAST_ALIKE: Final = 0.7
_LEAST_COLUMNS: Final = 2
_MOST_CELLS: Final = 50

Row = dict[Field, Slice]


def rows(text: str, lines: Sequence[TextLine], fields: Sequence[Field]) -> Iterator[Row]:
    """The rows of tables of which at least two columns are named like fields."""
    for header, body in _tables(text, lines):
        columns = _columns(text, header, fields)
        if len(columns) < min(_LEAST_COLUMNS, len(fields)):
            continue
        for cells in body:
            row = {
                field: found
                for place, field in columns.items()
                if (found := read(text, cells[place].start, cells[place].end, field))
            }
            if row:
                yield row


def _tables(
    text: str, lines: Sequence[TextLine]
) -> Iterator[tuple[list[TextLine], list[list[TextLine]]]]:
    table: list[list[TextLine]] = []
    for line in lines:
        cells = cells_of(text, line)
        if table and len(cells) != len(table[0]):
            if len(table) > 1:
                yield table[0], table[1:]
            table = []
        if _LEAST_COLUMNS <= len(cells) <= _MOST_CELLS and _has_words(text, line):
            table.append(cells)
    if len(table) > 1:
        yield table[0], table[1:]


def _has_words(text: str, line: TextLine) -> bool:
    """Not a line of dashes below a header."""
    return any(character.isalnum() for character in text[line.start : line.end])


def _columns(text: str, header: Sequence[TextLine], fields: Sequence[Field]) -> dict[int, Field]:
    """Returns the field that each column holds: the best named first, each field once."""
    scores = sorted(
        (
            (alike(text[cell.start : cell.end], field), -place, field)
            for place, cell in enumerate(header)
            for field in fields
            if not field.many
        ),
        key=lambda each: each[:2],
        reverse=True,
    )
    columns: dict[int, Field] = {}
    for score, place, field in scores:
        if score >= _LEAST_ALIKE and -place not in columns and field not in columns.values():
            columns[-place] = field
    return columns
