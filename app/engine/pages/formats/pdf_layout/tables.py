"""Tables of a PDF: lines in which cells stand beside each other, put together to rows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from app.engine.pages.formats.pdf_layout.cells import Cell
from app.engine.pages.formats.pdf_layout.lines import Line

_FEWEST_ROWS = 3  # of fewer, justified words stand above each other by chance
_HIGHEST = 6.0  # sizes of text by which a cell may stand above or below those before it
_SHARED = 0.3  # of the size of text: what two gaps above each other have in common


@dataclass(slots=True)
class Row:
    """Cells beside each other, each of the lines in it, with their left and right ends."""

    lines: list[Line]
    cells: list[list[Cell]] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)
    top: float = -math.inf
    bottom: float = math.inf

    def takes(self, line: Line, leading: float) -> bool:
        """True if a line stands in this row: beside its last cell, or goes on with that."""
        if not line.cells or not self.cells or line.page != self.lines[-1].page:
            return False
        size = self.lines[-1].size
        if abs(line.size - size) > 0.12 * size:
            return False
        (left, right), begin = self.spans[-1], line.cells[0].left
        if begin > right:
            return self.bottom - _HIGHEST * size < line.baseline < self.top + _HIGHEST * size
        step = self.lines[-1].baseline - line.baseline
        # A line above a table that reaches over its first column is none of its cells.
        apart = len(self.cells) == 1 and len(line.cells) > 1 and right > line.cells[1].left
        return not apart and 0 < step <= 1.25 * leading * size and begin > left - size

    def add(self, line: Line) -> None:
        self.top, self.bottom = max(self.top, line.baseline), min(self.bottom, line.baseline)
        for cell in line.cells:
            if self.spans and cell.left <= self.spans[-1][1]:
                left, right = self.spans[-1]
                self.spans[-1] = min(left, cell.left), max(right, cell.right)
                self.cells[-1].append(cell)
            else:
                self.spans.append((cell.left, cell.right))
                self.cells.append([cell])


def rows_of(lines: Sequence[Line], leading: float) -> Iterator[Row]:
    """Lines in their order, with those that stand beside each other as one row."""
    row: Row | None = None
    for line in lines:
        if row is not None and row.takes(line, leading):
            row.lines.append(line)
        else:
            if row is not None:
                yield row
            row = Row([line])
        row.add(line)
    if row is not None:
        yield row


def tables_of(lines: Sequence[Line], leading: float) -> Iterator[tuple[list[Row], bool]]:
    """Rows in their order, in groups; True of each that is a table."""
    groups: list[list[Row]] = []
    for row in rows_of(lines, leading):
        if groups and _stand_below(groups[-1][-1], row):
            groups[-1].append(row)
        else:
            groups.append([row])
    for is_table, some in groupby(groups, key=_is_table):
        if is_table:
            yield from ((group, True) for group in some)
        else:
            yield [row for group in some for row in group], False


def _stand_below(above: Row, below: Row) -> bool:
    """True if a gap of one row stands below one of the other."""
    least = _SHARED * below.lines[0].size
    return any(
        min(a_right, b_right) - max(a_left, b_left) > least
        for a_left, a_right in _gaps(above)
        for b_left, b_right in _gaps(below)
    )


def _gaps(row: Row) -> list[tuple[float, float]]:
    return [(left[1], right[0]) for left, right in pairwise(row.spans)]


def _is_table(rows: Sequence[Row]) -> bool:
    widest = max(len(row.cells) for row in rows)
    return widest > 1 and len(rows) >= _FEWEST_ROWS


def columns_of(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """The left and right end of each column, by the rows with most cells."""
    most = max(len(row.cells) for row in rows)
    columns: list[tuple[float, float]] = []
    for left, right in sorted(span for row in rows if len(row.cells) == most for span in row.spans):
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(right, columns[-1][1]))
        else:
            columns.append((left, right))
    return columns


def by_column(row: Row, columns: Sequence[tuple[float, float]]) -> list[list[Cell]]:
    """The cells of a row below each column, for those it lacks none."""
    placed: list[list[Cell]] = [[] for _ in columns]
    for cell, (left, right) in zip(row.cells, row.spans, strict=True):
        shared = [min(right, end) - max(left, start) for start, end in columns]
        placed[shared.index(max(shared))] += cell
    return placed
