"""Plain text as HTML: its headings, lists, tables and listings look like what they are.

Whatever is shown is a slice of the text, so offsets go on meaning what they meant.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

from app.engine.answer.blocks.kinds import ITEM, is_row
from app.engine.answer.blocks.tables import BETWEEN_CELLS
from app.engine.pages.blocks.columns import names_columns
from app.engine.pages.page import page_number
from app.web.citations.sections import Span, TextBlockKind, typed_spans

Inline = Callable[[int, int], Markup]
"""Writes a slice of the text, escaped."""

_PAGE: Final = Markup('<span class="page-start" data-page="{}"></span>')
HEADING: Final = Markup("<h2>{}</h2>")
_UNDER: Final = "\n\nA sentence."
_HASHES: Final = re.compile(r"#{1,6}\s+")
_TABLE: Final = Markup(
    '<div class="scroll" role="group" tabindex="0" aria-label="Table">'
    "<table>{}<tbody>{}</tbody></table></div>"
)
_LISTING: Final = Markup('<pre role="group" tabindex="0" aria-label="Code"><code>{}</code></pre>')
_COLUMN: Final = Markup('<th scope="col"{}>{}</th>')
_CELL: Final = Markup("<td{}>{}</td>")
# What would reorder or hide the text around it, or is no character of HTML.
_UNSAFE: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> Markup:
    """Escaped, with a sign for every character that would act instead of being seen."""
    return escape(_UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text))


class MarkedText:
    """Writes slices of a text, and marks those of [start, end), the first mark with an `id`.

    Where one of the `pages` of a document begins, its number is shown, which is no text of it.
    """

    def __init__(
        self, text: str, start: int = 0, end: int = 0, id: str = "", pages: Sequence[int] = ()
    ) -> None:
        self._text, self._start, self._end, self._id = text, start, end, id
        self._pages = pages
        self.marked = False

    def __call__(self, start: int, end: int) -> Markup:
        begun = self._pages[bisect_left(self._pages, start) : bisect_left(self._pages, end)]
        cuts = [start, *dict.fromkeys(begun), end]
        written = [self._slice(start, cuts[1])]
        for a, b in pairwise(cuts[1:]):
            written += [_PAGE.format(page_number(self._pages, a)), self._slice(a, b)]
        return Markup("").join(written)

    def _slice(self, start: int, end: int) -> Markup:
        a, b = max(start, self._start), min(end, self._end)
        if a >= b:
            return visible(self._text[start:end])
        named = bool(self._id) and not self.marked
        self.marked = True
        return Markup("{}<mark{}>{}</mark>{}").format(
            visible(self._text[start:a]),
            Markup(' id="{}"').format(self._id) if named else "",
            visible(self._text[a:b]),
            visible(self._text[b:end]),
        )


def html(
    text: str,
    start: int,
    end: int,
    inline: Inline,
    heading: Markup = HEADING,
    followed: bool = False,
) -> Markup:
    """text[start:end], block by block; `followed` when something stands under it that is written
    by another call, so that its last line may be a heading."""
    written = []
    for kind, a, b in blocks(text, start, end, followed):
        if kind is TextBlockKind.HEADING:
            marks = _HASHES.match(text, a, b)
            written.append(heading.format(inline(marks.end() if marks else a, b)))
        else:
            written.append(_WRITERS[kind](text, a, b, inline))
    return Markup("\n").join(written)


def blocks(text: str, start: int, end: int, followed: bool = False) -> Iterator[Span]:
    """Yields the blocks of text[start:end]; a blank line does not part listings."""
    read = text[start:end].rstrip() + (_UNDER if followed else "")
    last: Span | None = None
    for kind, a, b in typed_spans(read):
        span = (kind, start + a, start + b)
        if span[1] >= end:
            break
        if (
            last
            and kind is last[0] is TextBlockKind.LISTING
            and not text[last[2] : span[1]].strip()
        ):
            span = (kind, last[1], span[2])
        elif last:
            yield last
        last = span
    if last:
        yield last


def _prose(text: str, start: int, end: int, inline: Inline) -> Markup:
    return Markup("<p>{}</p>").format(inline(start, end))


def listing(text: str, start: int, end: int, inline: Inline) -> Markup:
    return _LISTING.format(inline(start, end))


def _list(text: str, start: int, end: int, inline: Inline) -> Markup:
    """With the signs or numbers that its items bring along, else with dots."""
    own = bool(ITEM.match(text, start, end))
    items = Markup("").join(
        Markup("<li>{}</li>").format(inline(a, b)) for a, b in _lines(text, start, end)
    )
    return Markup('<ul class="{}">{}</ul>').format("own-signs" if own else "dots", items)


def _entry(text: str, start: int, end: int, inline: Inline) -> Markup:
    (a, b), *under = _lines(text, start, end)
    described = Markup("").join(Markup("<dd>{}</dd>").format(inline(*line)) for line in under)
    return Markup("<dl><dt>{}</dt>{}</dl>").format(inline(a, b), described or Markup("<dd></dd>"))


def _table(text: str, start: int, end: int, inline: Inline) -> Markup:
    rows = [(_cells(text, a, b), is_row(text[a:b])) for a, b in _lines(text, start, end)]
    width = max(len(cells) for cells, _ in rows)
    headed = _is_headed(text, rows[0][0], len(rows), width)
    written = [
        _row(cells, inline, _COLUMN if headed and n == 0 else _CELL, 0 if whole else width)
        for n, (cells, whole) in enumerate(rows)
    ]
    head = Markup("<thead>{}</thead>").format(written.pop(0)) if headed else Markup("")
    return _TABLE.format(head, Markup("").join(written))


def _is_headed(text: str, first: list[tuple[int, int]], rows: int, width: int) -> bool:
    return rows > 1 and len(first) == width > 1 and names_columns([text[a:b] for a, b in first])


def has_table(text: str) -> bool:
    """True if there is a table in it with the names of its columns."""
    for kind, start, end in blocks(text, 0, len(text)):
        if kind is TextBlockKind.TABLE:
            rows = [_cells(text, a, b) for a, b in _lines(text, start, end)]
            return _is_headed(text, rows[0], len(rows), max(map(len, rows)))
    return False


def _row(cells: list[tuple[int, int]], inline: Inline, cell: Markup, across: int) -> Markup:
    """`across`: how many columns a line spans that is no row."""
    span = Markup(' colspan="{}"').format(across) if across > 1 else Markup("")
    written = (cell.format(span, inline(a, b)) for a, b in cells)
    return Markup("<tr>{}</tr>").format(Markup("").join(written))


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Returns the places of the cells of a row; a line that is no row is one cell."""
    if not is_row(text[start:end]):
        return [(start, end)]
    cells, at = [], start
    for sign in BETWEEN_CELLS.finditer(text[start:end]):
        cells.append(_trimmed(text, at, start + sign.start()))
        at = start + sign.end()
    return [*cells, _trimmed(text, at, end)]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] == " ":
        start += 1
    while start < end and text[end - 1] == " ":
        end -= 1
    return start, end


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for line in re.finditer(r"[^\n]+", text[start:end]):
        yield start + line.start(), start + line.end()


_WRITERS: Final = {
    TextBlockKind.PROSE: _prose,
    TextBlockKind.LISTING: listing,
    TextBlockKind.LIST: _list,
    TextBlockKind.ENTRY: _entry,
    TextBlockKind.TABLE: _table,
}
