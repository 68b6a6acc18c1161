"""The cells of a line of a PDF: its parts between gaps that are wider than those of words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import pypdfium2

_NOT_SPACE = re.compile(r"[^ ]+")
# Of an item or a section: the gap after it parts no cells.
_MARKER = re.compile(r"[^\w\s]{1,2}|\(?\w{1,3}[.)]|\d{1,3}(?:\.\d{1,3})+\.?")
GAP: Final = 0.9  # of the size of text, between two cells
_LONG = 40  # characters of a line whose words are looked at one by one only if it is wide
_WIDE = 1.05  # of as many letters without a gap
_FEWEST_GAPS = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a line with its left and right ends in points."""

    text: str
    left: float
    right: float


def cells_of(
    textpage: pypdfium2.PdfTextPage, text: str, first: int, size: float
) -> tuple[Cell, ...]:
    """The cells of the line `text`, whose characters are numbered from `first` on its page; none
    where it does not run from left to right.
    """
    raw = pypdfium2.raw
    left, right, bottom, top = (raw.c_double() for _ in range(4))

    def ends(start: int, end: int) -> tuple[float, float]:
        raw.FPDFText_GetCharBox(textpage, first + start, left, right, bottom, top)
        begin = left.value
        raw.FPDFText_GetCharBox(textpage, first + end - 1, left, right, bottom, top)
        return begin, right.value

    words = [word.span() for word in _NOT_SPACE.finditer(text)]
    whole = ends(words[0][0], words[-1][1])
    longest = max(words, key=lambda word: word[1] - word[0])
    begin, end = ends(*longest)
    advance = (end - begin) / (longest[1] - longest[0])
    places = [words[0][0]]
    if len(text) <= _LONG or whole[1] - whole[0] > _WIDE * advance * len(text):
        spans = [ends(*word) for word in words]
        places += _parted(text, words, spans, size)
    found = [
        Cell(text[a:b].strip(), ends(a, a + 1)[0], ends(a, a + len(text[a:b].rstrip()))[1])
        for a, b in pairwise([*places, len(text)])
    ]
    return tuple(found) if all(a.right < b.left for a, b in pairwise(found)) else ()


def _parted(
    text: str,
    words: Sequence[tuple[int, int]],
    spans: Sequence[tuple[float, float]],
    size: float,
) -> Iterator[int]:
    """The places of the words that begin a further cell."""
    gaps = [after[0] - before[1] for before, after in pairwise(spans)]
    if len(gaps) >= _FEWEST_GAPS and max(gaps) < min(1.6 * min(gaps), 2.5 * size):
        return  # as a justified line is stretched, with all gaps alike
    for gap, (start, _) in zip(gaps, words[1:], strict=True):
        if gap > GAP * size and not _MARKER.fullmatch(text[:start].strip()):
            yield start
