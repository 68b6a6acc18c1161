"""The labels of a text: `Name: value` on a line, two cells of a row, a name above its value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

MOST_LINES: Final = 20_000
LONGEST_LABEL: Final = 60
CELLS: Final = " | "
_LONGEST_LINE: Final = 2_000
_LABEL: Final = re.compile(
    r"(?:[-*•·]\s+|\d{1,3}[.)]\s+)?(?P<label>[^\n:：|]{1,60}?)\s?[:：](?!//)"
)
_LINE: Final = re.compile(r"[^\n]+")
# What a page states without showing it stands below its visible text, with where it was.
_STATED: Final = re.compile(r"(?:/script\[\d{1,3}\]#/(?:\S*/)?|meta )(?P<label>[^\s/]{1,60}) ")


@dataclass(frozen=True, slots=True)
class TextLine:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A label and the slice it names. `sure`: how certain it is that it names it, 0 to 1."""

    label: str
    start: int
    end: int
    sure: float


def lines_of(text: str) -> list[TextLine]:
    """The lines that have something in them; at most 20,000."""
    matches = (match for match in _LINE.finditer(text) if not match[0].isspace())
    return [TextLine(*match.span()) for match in islice(matches, MOST_LINES)]


def cells_of(text: str, line: TextLine) -> list[TextLine]:
    cells, start = [], line.start
    for cell in text[line.start : line.end].split(CELLS):
        cells.append(TextLine(start, start + len(cell)))
        start += len(cell) + len(CELLS)
    return cells


def pairs(text: str, lines: list[TextLine]) -> Iterator[Pair]:
    for number, line in enumerate(lines):
        if line.end - line.start > _LONGEST_LINE:
            continue
        if stated := _STATED.match(text, line.start, line.end):
            yield Pair(stated["label"], stated.end(), line.end, 0.95)
            continue
        cells = cells_of(text, line)
        if len(cells) == 2 and cells[0].end - cells[0].start <= LONGEST_LABEL:
            label = text[cells[0].start : cells[0].end]
            yield Pair(label.rstrip(": "), cells[1].start, cells[1].end, 0.9)
        for cell in cells:
            yield from _colon(text, cell)
        following = lines[number + 1] if number + 1 < len(lines) else None
        if following and len(cells) == 1:
            yield from _above(text, line, following)


def _colon(text: str, cell: TextLine) -> Iterator[Pair]:
    match = _LABEL.match(text, cell.start, cell.end)
    if match and text[match.end() : cell.end].strip():
        yield Pair(match["label"], match.end(), cell.end, 0.85)


def _above(text: str, line: TextLine, following: TextLine) -> Iterator[Pair]:
    label = text[line.start : line.end].strip()
    if len(label) <= LONGEST_LABEL and following.end - following.start <= _LONGEST_LINE:
        yield Pair(
            label.rstrip(": "), following.start, following.end, 0.7 if label[-1] in ":：" else 0.6
        )
