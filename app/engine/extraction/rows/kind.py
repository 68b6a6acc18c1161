"""The places where a page says what its rows are: the heading above them or its title, and their
classes. Rows of terms look alike, whatever they are.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import log1p
from operator import itemgetter
from statistics import fmean
from typing import Final

from lxml.html import HtmlElement

from app.engine.extraction.rows.column_fit import RecordFields
from app.engine.extraction.rows.groups import Row
from app.engine.extraction.schema.vocabulary import split, stem
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.spans import Spans
from app.engine.pages.blocks.walk import name_set

Words = frozenset[str]

SAID: Final = ("heading", "class", "column")
"""Where it is said of rows by themselves."""
_SAMPLED = 16
_LONGEST_HEADING, _FARTHEST = 120, 200
_MOST_READ = 20_000
_WORD = re.compile(r"[^\W\d_]{2,}")
_LISTS = 3  # elements around a row whose classes say what it is
_BEYOND = name_set("body dd li td th")  # a row within one of another list is a part of that
# Other words for the same.
_ALIKE = {
    stem(other): stem(word)
    for word, others in (
        ("command", "statement"), ("option", "flag switch"), ("function", "routine subroutine"),
        ("question", "faq"),
    )
    for other in others.split()
}  # fmt: skip
# Whatever a row is, it has a name. Acronyms and options are asked for where terms are meant.
_ANY = frozenset(
    map(
        stem,
        name_set(
            "name title heading headline term entry word item key label topic subject text value "
            "thing record acronym abbreviation option"
        ),
    )
)


class Kind:
    """Tells where one page says that its rows are what a plan asks for."""

    def __init__(self, page: OneText, wanted: RecordFields) -> None:
        self._page = page
        chief = next((each for each in wanted.fields if each.pointer == wanted.chief), None)
        called = _stems(chief.name) if chief else frozenset[str]()
        self.is_any = called <= _ANY
        self._called = _stems(wanted.title)
        asked = (called if self.is_any else called - _ANY, self._called - _ANY)
        self._asked = [each for each in asked if each]

    def evidence(self, rows: Sequence[Row]) -> Mapping[str, float]:
        """By where it is said, for which share of the rows; "any" of what may be anything."""
        if self.is_any:
            return {"any": 1.0}
        inside = self._inside(rows)
        step = max(1, len(rows) // _SAMPLED)
        found = [self._of(row, inside) for row in rows[::step][:_SAMPLED]]
        return {name: fmean(each[name] for each in found) for name in found[0]}

    def said(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of which the heading above them or a class says what they are."""
        inside = self._inside(rows)
        return [row for row in rows if max(self._of(row, inside).values())]

    def is_marked(self, row: Row) -> bool:
        """True if a class of a row, of its first elements or its list says what it is."""
        return any(self._is_asked(_stems(name)) for each in _around(row) for name in _names(each))

    def of_page(self) -> dict[str, float]:
        """Counts how often a page names such a thing, as a logarithm, and tells whether a heading
        is no more than that."""
        parts = [known for _, known in self._headings[1:]]
        return {
            "text": log1p(self._mentions),
            "part": float(any(each in self._asked for each in parts)),
        }

    @property
    def _mentions(self) -> int:
        """Counts the words of what is asked for in the text that the page shows."""
        shown = self._page.text[: min(self._page.visible_end, _MOST_READ)]
        counted: Counter[str] = Counter()
        for word, times in Counter(_WORD.findall(shown.casefold())).items():
            counted[_stem(word)] += times
        return max((min(counted[each] for each in asked) for asked in self._asked), default=0)

    def _inside(self, rows: Iterable[Row]) -> Spans:
        return Spans(place for row in rows if (place := _place(row, self._page)))

    def _is_asked(self, known: Words) -> bool:
        return any(each <= known for each in self._asked)

    def _of(self, row: Row, inside: Spans) -> dict[str, float]:
        return {
            "heading": float(self._is_asked(self._above(row, inside))),
            "class": float(self.is_marked(row)),
        }

    def _above(self, row: Row, inside: Spans) -> Words:
        """The words of the heading above a row, which is not within one; else of the title."""
        start = (_place(row, self._page) or (-1,))[0]
        at = bisect_right(self._headings, start, key=itemgetter(0)) - 1
        nearest = self._headings[max(0, at - _FARTHEST) : at + 1][::-1]
        return next((known for begin, known in nearest if not inside.at(begin)), self._title)

    @cached_property
    def _title(self) -> Words:
        return _stems(self._page.named("title"))

    @cached_property
    def _headings(self) -> list[tuple[int, Words]]:
        page = self._page
        shown = (
            (place[0], page.text[slice(*place)][:_LONGEST_HEADING])
            for each, place in page.places.items()
            if each.tag in HEADINGS
        )
        return [(start, _stems(text)) for start, text in shown if _WORD.search(text)]


def _place(row: Row, page: OneText) -> tuple[int, int] | None:
    places = [page.places[each] for each in row if each in page.places]
    return (places[0][0], places[-1][1]) if places else None


def _around(row: Row) -> Iterator[HtmlElement]:
    """A row, what it begins with, and the lists that hold it."""
    yield from row[:1]
    first = next(iter(row[0]), None)
    if first is not None:
        yield first
        yield from first[:1]
    parent = row[0].getparent()
    for _ in range(_LISTS):
        if parent is None or parent.tag in _BEYOND:
            return
        yield parent
        parent = parent.getparent()


def _names(element: HtmlElement) -> list[str]:
    return f"{element.get('class') or ''} {element.get('id') or ''}".split()


def _stems(text: str) -> Words:
    return frozenset(map(_stem, split(text)))


def _stem(word: str) -> str:
    known = stem(word)
    return _ALIKE.get(known, known)
