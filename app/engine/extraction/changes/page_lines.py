"""The visible lines of a page, each with the place it stands at."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Self

from lxml import etree
from lxml.html import HtmlElement

from app.engine.pages.blocks.walk import BREAKING, SKIPPED
from app.engine.pages.main_text.chrome import is_furniture, measure

MOST_LINES, LONGEST_LINE, LONGEST_PLACE = 5_000, 2_000, 300

_BLOCKS = BREAKING | {"h1", "h2", "h3", "h4", "h5", "h6", "pre", "br"}
_CELLS = frozenset({"td", "th", "dt", "dd", "caption"})
_INSIDE_ROWS = _BLOCKS - _CELLS - {"div", "br", "center"}
_FURNITURE_HOLDS_LESS = 0.4  # of the page: broken markup leaves menus open around all of it
_WHITE = re.compile(r"\s+")
_NUMBERED = re.compile(r"[^\s.]*\d[^\s.]*")


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page. `place` says in which elements it stands, not at which position."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class PageLines:
    """The lines of one fetch, in the order of the page; `day` is when it was made."""

    lines: tuple[PageLine, ...]
    day: date
    language: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "lines": [[line.place, line.text] for line in self.lines],
            "day": self.day.isoformat(),
            "language": self.language,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        lines = tuple(PageLine(place, text) for place, text in value["lines"])
        return cls(lines, date.fromisoformat(value["day"]), value["language"])


def lines_of(root: HtmlElement) -> tuple[tuple[str, str], ...]:
    """(place, line) of what a reader of the page sees, without menus, footers and side boxes.

    A row of a table is one line, so that a cell that changes takes its label along. Texts of more
    than 5,000 lines are cut.
    """
    walker = _Walker(root)
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            walker.enter(element)
        else:
            walker.leave(element)
        if len(walker.lines) >= MOST_LINES:
            break
    return tuple(walker.lines)


class _Walker:
    """Gathers text until a block begins or ends; what is hidden is passed by."""

    def __init__(self, root: HtmlElement) -> None:
        self.lines: list[tuple[str, str]] = []
        self._sizes = measure(root)
        self._most = _FURNITURE_HOLDS_LESS * max(1, self._sizes.prose(root))
        self._pieces: list[str] = []
        self._path: list[str] = []
        self._skipped: HtmlElement | None = None
        self._row: HtmlElement | None = None

    def enter(self, element: HtmlElement) -> None:
        if self._skipped is not None:
            return
        if element.tag in SKIPPED or self._is_furniture(element):
            self._skipped = element
            return
        self._break(element)
        if element.tag == "tr" and self._row is None and _is_flat(element):
            self._row = element
        if self._row is not None and element.tag in _CELLS:
            self._pieces.append("| ")
        self._path.append(_step(element))
        self._pieces.append(element.text or "")

    def leave(self, element: HtmlElement) -> None:
        if self._skipped is None:
            if self._row is element:
                self._row = None
            self._break(element)
            self._path.pop()
        elif self._skipped is element:
            self._skipped = None
        else:
            return
        self._pieces.append(element.tail or "")

    def _is_furniture(self, element: HtmlElement) -> bool:
        return is_furniture(element) and self._sizes.prose(element) <= self._most

    def _break(self, element: HtmlElement) -> None:
        """End the line where a block begins or ends; inside of a row only cells are parted."""
        if element.tag not in _BLOCKS:
            return
        if self._row is not None and self._row is not element:
            self._pieces.append(" ")
            return
        text = _WHITE.sub(" ", "".join(self._pieces)).strip(" |")
        self._pieces.clear()
        if text:
            place = "/".join(self._path)[-LONGEST_PLACE:]
            self.lines.append((place, _WHITE.sub(" ", text)[:LONGEST_LINE]))


def _is_flat(row: HtmlElement) -> bool:
    """True if a row holds cells of text. Rows that arrange a page hold blocks."""
    return not any(element.tag in _INSIDE_ROWS for element in row.iterdescendants())


def _step(element: HtmlElement) -> str:
    names = f"{element.get('id') or ''} {element.get('class') or ''}"[:200].split()
    # Names with digits are counters and tokens, made anew with every fetch.
    kept = [name for name in names if not _NUMBERED.fullmatch(name)][:3]
    return ".".join([str(element.tag), *kept])
