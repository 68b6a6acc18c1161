"""The columns of a region: what stands at one place in each of its rows, and how each is named."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os.path import commonprefix

from app.engine.extraction.rows.cells import Cell
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.onetext import OneText

_PRESENT = 0.4  # the share of rows a column must be in
_MOST_NAMES = 8
_LONGEST_LABEL = 40
_FEWEST, _DIFFERENT = 3, 0.9  # texts, and the share that differ, to see how all of them end


@dataclass(slots=True)
class Column:
    """The cells at one path of the rows looked at."""

    path: str
    place: int
    cells: list[Cell]
    values: list[str]
    present: float
    distinct: float
    labels: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def attribute(self) -> str | None:
        return self.cells[0].attribute

    @property
    def length(self) -> float:
        return sum(map(len, self.values)) / len(self.values)

    @property
    def varied(self) -> float:
        """0 for one value in every row, 1 for three values or more."""
        return min(1.0, (len(set(self.values)) - 1) / min(2, max(1, len(self.values) - 1)))

    def tail(self, name: frozenset[str]) -> int:
        """Counts the characters that all texts end with and that say no more than `name`, the words
        of what the column is called."""
        if self.distinct < _DIFFERENT or len(self.values) < _FEWEST:
            return 0
        backwards = [value[::-1] for value in self.values]
        ending = commonprefix(backwards)[::-1]  # noqa: RUF071 - letters are what is compared
        ending = ending[ending.find(" ") :] if " " in ending else ""
        known = words(ending)
        return len(ending) if known and known <= name else 0

    def share(self, fits: Callable[[str], object]) -> float:
        return sum(bool(fits(value)) for value in self.values) / len(self.values)


def columns(rows: Sequence[Sequence[Cell]], page: OneText) -> list[Column]:
    """The columns that enough of the rows have, in their order."""
    by_path: dict[str, list[Cell]] = defaultdict(list)
    for row in rows:
        for cell in row:
            by_path[cell.path].append(cell)
    made: list[Column] = []
    for place, (path, its) in enumerate(by_path.items()):
        if len(its) < _PRESENT * len(rows):
            continue
        values = [page.text[cell.start : cell.end] for cell in its]
        made.append(
            Column(
                path,
                place,
                its,
                values,
                min(1.0, len(its) / len(rows)),
                len(set(values)) / len(values),
                _labels(its)[:_MOST_NAMES],
                _names(its)[:_MOST_NAMES],
            )
        )
    for label, column in pairwise(made):
        if _is_label(label, column) and not column.labels:
            column.labels = (label.values[0],)
    return made


def _is_label(column: Column, value: Column) -> bool:
    """True if the same words stand in each row beside another value, and beside nothing else."""
    text, element = column.values[0], column.cells[0].element
    beside = value.cells[0].element
    return (
        len(set(column.values)) == 1 < len(set(value.values))
        and element.getnext() is beside
        and element.getprevious() is None is beside.getnext()
        and len(text) <= _LONGEST_LABEL
        and any(map(str.isalpha, text))
        and not any(map(str.isdigit, text))
    )


def _labels(cells: Sequence[Cell]) -> tuple[str, ...]:
    """The labels of a column. Where each of its cells has another, they are names of properties:
    one of them is no name of the column."""
    often = Counter(label for cell in cells for label in dict.fromkeys(cell.labels))
    is_column = len(cells) < _FEWEST or max(often.values(), default=0) > 1
    return tuple(often) if is_column else ()


def _names(cells: Sequence[Cell]) -> tuple[str, ...]:
    """The names of a column, which enough of its cells have: the class of one paragraph among many
    says nothing of the others."""
    often = Counter(name for cell in cells for name in dict.fromkeys(cell.names))
    return tuple(name for name, times in often.items() if times >= _PRESENT * len(cells))
