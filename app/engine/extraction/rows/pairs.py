"""Rows that answer fields by their shape, where no name does: a term and what is said of it, or a
table of as many columns as there are fields.

What is called what says the order alone. So such rows are records only if the page is made of them,
or if the title or the heading above them says what they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.rows.cells import Cell
from app.engine.extraction.rows.column_fit import NO_SLOTS, RecordFields
from app.engine.extraction.rows.groups import FEWEST, Group, Row
from app.engine.extraction.rows.headers import Headers
from app.engine.extraction.rows.kind import Kind
from app.engine.extraction.rows.terms import name_in, parts
from app.engine.extraction.rows.top_line import top_line
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.stated import Leaf

_MOST_FIELDS = 3
_MOST_OF_PAGE, _ALL_OF_PAGE = 0.85, 0.95
_IN_ROWS = 0.8  # the share of rows that are pairs, and of terms that differ
_SAMPLED = 60
_TOP_LINE_PRIOR = 0.8
_FURNITURE = ("nav", "header", "footer", "aside", "form")
_LONG = words("description") | words("body")
_SHAPED = frozenset().union(*map(words, ("price", "email", "phone", "image", "url", "published")))


class Pairs:
    """Reads rows of one page as pairs for the fields of one plan."""

    def __init__(
        self, page: OneText, root: HtmlElement, wanted: RecordFields, kind: Kind, headers: Headers
    ) -> None:
        self._page, self._root, self._wanted, self._kind = page, root, wanted, kind
        self._term, self._text = pair_of(wanted.fields)
        self._headers = headers

    @property
    def are_wanted(self) -> bool:
        """True if the plan has fields that a pair may answer."""
        return self._term is not None and len(self._wanted.fields) <= _MOST_FIELDS

    def of(self, group: Group) -> tuple[Group, Mapping[str, str]]:
        """The group, or those of its rows that a heading names, and by path of a part the pointer
        of the field that it answers; none if the rows are no pairs, or not what the page is about.
        """
        slots = self._slots(group.rows[0]) if self.are_wanted else NO_SLOTS
        if not slots or not self._are_pairs(group.rows, len(slots)):
            return group, NO_SLOTS
        said = replace(group, rows=tuple(self._kind.said(group.rows)))
        if self._has_line and self._share(said) < _ALL_OF_PAGE:
            said = replace(said, rows=tuple(filter(self._kind.is_marked, said.rows)))
        if len(said.rows) >= FEWEST:
            return said, slots
        return group, slots if self._kind.is_any and self._is_most(group) else NO_SLOTS

    def cells(self, row: Row, group: Group, slots: Mapping[str, str]) -> list[Cell]:
        """The parts of a row of a group as cells."""
        found = parts(row, self._page) if slots else []
        if found and self._kind.is_marked(row):
            found[0] = name_in(found[0], self._page)
        return [
            Cell(start, end, path, element)
            for path, (start, end, element) in zip(slots, found, strict=False)
            if len(found) == len(slots)
        ]

    def _slots(self, row: Row) -> Mapping[str, str]:
        number = len(parts(row, self._page))
        if row[0].tag == "tr" and self._wanted.named(
            [name for its in self._headers.of(row) for name in its]
        ):
            return NO_SLOTS
        fields = self._wanted.fields
        if row[0].tag == "tr" and number == len(fields) > 2:
            return {f"={at}": field.pointer for at, field in enumerate(fields)}
        if number != 2 or self._term is None or self._text is None:
            return NO_SLOTS
        return {"=0": self._term.pointer, "=1": self._text.pointer}

    def _are_pairs(self, rows: Sequence[Row], number: int) -> bool:
        sample = rows[:: max(1, len(rows) // _SAMPLED)][:_SAMPLED]
        found = [each for row in sample if len(each := parts(row, self._page)) == number]
        terms = {self._page.text[each[0][0] : each[0][1]] for each in found}
        return len(terms) >= _IN_ROWS * len(sample) and not self._are_properties(terms)

    def _are_properties(self, terms: Iterable[str]) -> bool:
        """True if a term is what the text is asked for as: then each row says that of one thing.
        Of a description that says nothing: a list of words may explain this one too."""
        text = self._text
        if text is None or not _LONG.isdisjoint(text.words):
            return False
        return text.pointer in self._wanted.named(list(terms))

    def _is_most(self, group: Group) -> bool:
        """True if the page is made of the rows; any page may be made of headings and texts."""
        least = _ALL_OF_PAGE if self._has_line else _MOST_OF_PAGE
        return group.rows[0][0].tag not in HEADINGS and self._share(group) >= least

    @cached_property
    def _has_line(self) -> bool:
        """True if a line at the top says what the page is called and is: then of one thing."""
        return top_line(self._page) is not None

    def _share(self, group: Group) -> float:
        places, counted, end = self._page.places, 0, 0
        shown = ([places[each] for each in row if each in places] for row in group.rows)
        for its in filter(None, shown):  # a list in an entry is no more of the page
            counted += max(0, its[-1][1] - max(its[0][0], end))
            end = max(end, its[-1][1])
        return counted / max(1, self._size)

    @cached_property
    def _size(self) -> int:
        """The size of what the page shows, but for menus and the like."""
        places, end = self._page.places, 0
        beside = (places[each] for each in self._root.iter(*_FURNITURE) if each in places)
        left = self._page.visible_end
        for start, stop in beside:
            left -= max(0, stop - max(start, end))
            end = max(end, stop)
        return left


def pair_of(fields: Sequence[Field]) -> tuple[Field | None, Field | None]:
    """The fields of what is explained and of what is said of it; None where that is not sure, and
    where a field asks for something else than text.
    """
    if not all(map(_is_plain, fields)):
        return None, None
    terms = [each for each in fields if _LONG.isdisjoint(each.words)]
    long = [each for each in fields if each not in terms]
    texts = long or terms[1:]
    if not terms or not texts or (not long and len(texts) > 1):
        return None, None
    return terms[0], texts[0]


def _is_plain(field: Field) -> bool:
    is_text = field.type == "string" and not (field.format or field.enum or field.pattern)
    return is_text and _SHAPED.isdisjoint(field.words)


def by_top_line(page: OneText, plan: Plan) -> Iterator[tuple[Field, FieldCandidate]]:
    """Finds what a page is called and what that is, where a line at its top says both."""
    name, text = pair_of([each for each in plan.every() if not each.items])
    line = top_line(page) if name and text else None
    if line and name and text:
        for field, place in ((name, line.name), (text, line.text)):
            leaves = (Leaf(*place, None, line.element),)
            candidate = of_page("top line", leaves, "text", _TOP_LINE_PRIOR)
            candidate.prose = True
            yield field, candidate


def is_part(cell: Cell) -> bool:
    """True if a cell is a part of a row by its place."""
    return cell.path.startswith("=")
