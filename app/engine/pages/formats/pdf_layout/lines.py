"""The lines of a PDF as readers see them, without those that run through its pages."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Final

import pypdfium2

from app.engine.pages.blocks.canonical import LONGEST_HEADING
from app.engine.pages.blocks.walk import raised
from app.engine.pages.formats.pdf_layout.cells import GAP, Cell, cells_of

_PAGE_NUMBER = re.compile(r"\W*(?:page\s+)?(\d{1,4}|[ivxl]{1,6})(?:\s*(?:/|of)\s*\d{1,4})?\W*")
_NUMERAL = re.compile(r"\b(\d{1,4}|[ivxl]{1,6})\b")
_WITHIN = re.compile(r"(?<=[^\W_])[0-9]+")
_WORD = re.compile(r"\w+")
_SMALL = 0.9  # of what stands beside it
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
BROKEN_OFF: Final = "\u0002\ufffe"  # what PDFium puts in place of a hyphen and the end of its line
HEADING: Final = 1.12  # of the size of text: what is larger heads it


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with the height of its font and its baseline in points, upwards as it is
    read, and the number of its page, from 1. Where wide gaps part it, it has several
    cells, and none where its place is not known."""

    text: str
    size: float
    baseline: float
    page: int
    cells: tuple[Cell, ...]

    @property
    def width(self) -> float:
        return self.cells[-1].right - self.cells[0].left if self.cells else 0.0


def lines_of(textpage: pypdfium2.PdfTextPage, page: int) -> list[Line]:
    """The lines of the page with this number. One that ends within a word ends with the hyphen, or
    what PDFium has in its place. There are none where most are in fonts that do not say which
    characters they show: what is there instead means nothing.
    """
    lines: list[Line] = []
    at = unmapped = total = 0
    for whole in textpage.get_text_range().splitlines(keepends=True):
        for text in re.split(f"(?<=[{BROKEN_OFF}])", whole):
            if text.strip():
                _add(lines, _line(textpage, page, text.rstrip("\r\n"), at))
                total += 1
                unmapped += _is_unmapped(textpage, text, at)
            at += _units(text)
    return lines if 2 * unmapped <= total else []


def _is_unmapped(textpage: pypdfium2.PdfTextPage, text: str, at: int) -> bool:
    """True if a line cannot be read, by its longest word: bullets come from other fonts."""
    word = max(_WORD.finditer(text), key=lambda each: len(each[0]), default=None)
    place = at + (_units(text[: word.start()]) if word else 0)
    index = pypdfium2.raw.FPDFText_GetCharIndexFromTextIndex(textpage, place)
    return bool(pypdfium2.raw.FPDFText_HasUnicodeMapError(textpage, index) == 1)


def _line(textpage: pypdfium2.PdfTextPage, page: int, text: str, at: int) -> Line:
    """The line that begins at a place of the text of a page. A number that
    ends higher and smaller than it begins has an exponent, or refers to a note.
    """
    wide = [n for n, character in enumerate(text) if character > "\uffff"]

    def setting(place: int) -> tuple[float, float]:
        return _setting(textpage, at + place + bisect_left(wide, place))

    # A letter or figure: bullets come from other fonts, and stand higher.
    size, baseline = setting(next((n for n, sign in enumerate(text) if sign.isalnum()), 0))

    def is_raised(place: int) -> bool:
        own_size, own_baseline = setting(place)
        return own_size < _SMALL * size and own_baseline > baseline

    signs = list(text)
    for number in _WITHIN.finditer(text):
        if is_raised(number.end() - 1):
            raised_from = next(filter(is_raised, range(*number.span())))
            signs[raised_from : number.end()] = raised(text[raised_from : number.end()])
    shown = "".join(signs)
    first, last = (
        pypdfium2.raw.FPDFText_GetCharIndexFromTextIndex(textpage, each)
        for each in (at, at + len(text) - 1)
    )
    known = last - first == len(text) - 1 and not wide
    cells = cells_of(textpage, shown, first, size) if known else ()
    return Line(shown, round(size, 1), round(baseline, 1), page, cells)


def _setting(textpage: pypdfium2.PdfTextPage, at: int) -> tuple[float, float]:
    """The size and the baseline of a character, by its place in the text in units of UTF-16."""
    raw = pypdfium2.raw
    index = raw.FPDFText_GetCharIndexFromTextIndex(textpage, at)
    x, y, matrix = raw.c_double(), raw.c_double(), raw.FS_MATRIX()
    raw.FPDFText_GetCharOrigin(textpage, index, x, y)
    raw.FPDFText_GetMatrix(textpage, index, matrix)
    scale = math.hypot(matrix.c, matrix.d) or 1.0
    size = raw.FPDFText_GetFontSize(textpage, index) * scale
    return size, (x.value * matrix.c + y.value * matrix.d) / scale


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _add(lines: list[Line], line: Line) -> None:
    """Add a line, or go on with the last: to PDFium, a raised number parts one."""
    last = lines[-1] if lines else None
    if last is None or abs(last.baseline - line.baseline) >= 0.5 * max(last.size, line.size):
        lines.append(line)
        return
    small, text = line.size < _SMALL * last.size, line.text.strip()
    if small and line.baseline != last.baseline:
        text = raised(text) if line.baseline > last.baseline and text.isdecimal() else text
    elif text[:1].isalnum():
        text = f" {text}"
    lines[-1] = replace(
        line if line.size > last.size else last,
        text=last.text.rstrip() + text,
        cells=_one_after(last.cells, line.cells, text, GAP * last.size),
    )


def _one_after(
    cells: tuple[Cell, ...], more: tuple[Cell, ...], text: str, gap: float
) -> tuple[Cell, ...]:
    """The cells of a line that goes on with `text`, whose own cells are `more`."""
    if not cells or not more:
        return ()
    last, following = cells[-1], more[0]
    if following.left - last.right > gap:
        return cells + more
    joined = f"{last.text}{text[: len(text) - len(text.lstrip())]}{following.text}"
    return (*cells[:-1], Cell(joined, last.left, following.right), *more[1:])


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Pages without their numbers, and without the lines at the top or bottom that most of them
    have, where nothing differs but the number of the page.
    """
    largest = HEADING * body_size(pages)
    edges = [_edges(page) for page in pages]
    seen = Counter(
        pattern
        for edge in edges
        for pattern in {each for line in edge for each in _patterns(line, largest)}
    )
    most = max(2, 0.4 * len(pages))

    def is_running(line: Line) -> bool:
        count = max(seen[pattern] for pattern in _patterns(line, largest))
        if number := _PAGE_NUMBER.fullmatch(line.text.lower()):
            return count > 2 or _value(number[1]) == line.page
        return count > most

    return [
        [line for line in page if line not in edge or not is_running(line)]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _edges(page: Sequence[Line]) -> list[Line]:
    """The two highest lines of a page and its two lowest."""
    down = sorted(page, key=lambda line: -line.baseline)
    return [line for line in down[:2] + down[2:][-2:] if len(line.text) <= LONGEST_HEADING]


def _patterns(line: Line, largest: float) -> Iterator[str]:
    """A line itself; and, unless it is larger than text, with a number as it differs from that of
    the page.
    """
    text = line.text.strip().lower()
    yield text
    if line.size <= largest:
        parts = _NUMERAL.split(text)
        for numeral in dict.fromkeys(parts[1::2]):
            offset = f"#{_value(numeral) - line.page}"
            yield "".join(offset if part == numeral else part for part in parts)


def _value(numeral: str) -> int:
    if numeral.isdecimal():
        return int(numeral)
    signs = [*map(_ROMAN.__getitem__, numeral), 0]
    return sum(-sign if sign < following else sign for sign, following in pairwise(signs))


def body_size(pages: Sequence[Sequence[Line]]) -> float:
    sizes = Counter[float]()
    for line in chain.from_iterable(pages):
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0
