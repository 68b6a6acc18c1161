"""Candidates read as values of a field: likeness of names x prior x fit of type x agreement."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from app.engine.answer.quotes.grounding import is_whole
from app.engine.extraction.methods import labels, lead_text, people, shapes, tables
from app.engine.extraction.methods.candidates import FieldCandidate
from app.engine.extraction.methods.name_match import ScoredCandidate
from app.engine.extraction.records.readings import (
    AMBIGUOUS,
    MOST_ITEMS,
    MOST_READINGS,
    FieldReading,
    cited,
    evidence,
    probable,
    ranked,
)
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.schema.vocabulary import split, words
from app.engine.extraction.text import lists, slices
from app.engine.extraction.text.marks import Marks
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.selectors import Selectors
from app.engine.extraction.text.stated import Leaf
from app.engine.extraction.values import calibration, texts
from app.engine.extraction.values.amounts import in_range, is_bound, is_former
from app.engine.extraction.values.calibration import MOST_UNSURE, PROSE
from app.engine.extraction.values.dates import ends_range
from app.engine.extraction.values.measure import is_in_size, is_otherwise
from app.engine.extraction.values.quantities import is_price
from app.engine.extraction.values.stated_measures import StatedMeasures
from app.engine.extraction.values.typed import Context
from app.engine.extraction.values.values import is_inexact, typed, typed_item
from app.engine.pages.blocks.walk import name_set

_MOST_TYPED = 30  # candidates of one field whose slice is read
_TOLD = frozenset({"#description", "#body"})
_SHORTEST_TELLING = 4  # characters that are likely to mean the same wherever they stand
_SEVERAL_LINES = words("address") | words("location")
_ADDRESS = name_set("address adresse direccion indirizzo")
_RATINGS = words("rating") | words("rating count")
_FIRST_OF_SEVERAL = 0.8
_PART_WEIGHT = 0.95
_CLEANER = 1.05  # what stands before a link at the end, if that is most of the slice
_MOST_OF_IT = 0.6
_AROUND_FORM = 0.8  # a slice that holds a value of the known form and more
_NOTED = "/noted"  # the part of a slice before a note in brackets
_SMALLER = 0.85
_ITEM_PLAUSIBILITY = 0.85  # at least: one item of a list may be short or long
_SIZE = re.compile(r"-\d{2,4}x\d{2,4}\.\w+$")
_BEST_RATING = 10
_COUNTED = 0.5  # a greater number mostly says how many have rated
_SHORTEST_PROSE = 25
_LONGEST_PLAIN = 200
_OUTLINE = re.compile(r"^(?:\d+\.)+\d*\s+")
_SHOWN = frozenset({"table", "labels", "text"})
_CLAUSES = 0.7
_LONGEST_TERM = 3  # words
_SINGLE_ITEM = 0.6  # of a list that the page shows: mostly one that was cut wrongly


class ValueReader:
    """Reads the slices of candidates as values of fields."""

    def __init__(self, page: OneText, context: Context) -> None:
        self._page = page
        self._context = context
        self._selectors = Selectors()
        self._stated = StatedMeasures(page.text[page.visible_end :])
        self._marks = Marks(page)

    def readings(self, field: Field, scored: list[ScoredCandidate]) -> tuple[FieldReading, ...]:
        """The readings of a field, best first, each value of a path once."""
        scored.sort(key=lambda each: -each.score)
        read = self._list if field.item else self._scalar
        readings: dict[tuple[str, str], FieldReading] = {}
        seen: set[tuple[tuple[Leaf, ...], str]] = set()  # a cell is known by several names
        for each in scored[:_MOST_TYPED]:
            place = each.candidate.leaves, each.candidate.path
            for reading in read(field, each) if place not in seen else ():
                readings.setdefault((repr(reading.value), reading.path), reading)
            seen.add(place)
        best = ranked(list(readings.values()))[:MOST_READINGS]
        found = probable([each.reading for each in best], list(evidence(field, best)))
        return tuple(self._placed(self._as_sure(field, reading)) for reading in found)

    def _as_sure(self, field: Field, reading: FieldReading) -> FieldReading:
        """`reading`, unsure if nobody sees it, or it is a part of what its label names, or more."""
        first = reading.items[0] if reading.items else reading
        if reading.confidence <= MOST_UNSURE or first.kind != "visible":
            return reading
        is_named = not reading.items and "|" not in reading.path
        is_text = field.type == "string" and not field.format
        if not (
            self._marks.is_unseen(first.start)
            or (is_named and tables.is_part(self._page, first.start, first.end, text=is_text))
            or (is_text and is_inexact(field, reading.quote))
            or reading.path.endswith(_NOTED)
        ):
            return reading
        items = tuple(replace(item, confidence=MOST_UNSURE) for item in reading.items)
        return replace(reading, confidence=MOST_UNSURE, items=items)

    def _scalar(self, field: Field, each: ScoredCandidate) -> Iterator[FieldReading]:
        score, candidate = each.score, each.candidate
        leaves = self._without_marks(candidate.leaves)
        several: Collection[object] = leaves
        is_stated = candidate.method in calibration.STATED
        if is_stated:  # of which each may say the same
            several = {self._page.text[leaf.start : leaf.end] for leaf in leaves}
        is_open = is_stated and len(several) > 1 and field.type in ("number", "integer")
        if len(several) > 1:
            score *= AMBIGUOUS if is_open else _FIRST_OF_SEVERAL
        for part, leaf, weight in self._parts(field, leaves[0]) if leaves else ():
            reading = self._read(field, leaf, score * weight, candidate, part=part, doubt=is_open)
            if reading is not None:
                yield reading

    def _without_marks(self, leaves: Sequence[Leaf]) -> tuple[Leaf, ...]:
        return tuple(filter(None, map(self._marks.without, leaves)))

    def _parts(self, field: Field, leaf: Leaf) -> Iterator[tuple[str, Leaf, float]]:
        """A slice and the parts of it that may be the value alone, each with a name and weight."""
        text = self._page.text
        leaf = labels.without_label(self._page, leaf, field.words)
        if field.pattern and (match := shapes.narrowed(text, leaf, field.pattern)):
            yield "", match, 1.0
            return
        has_form = field.type == "string" or not _RATINGS.isdisjoint(field.words)
        inner = shapes.inner(text, leaf, field) if has_form else None
        if inner and not (in_range(text, inner.start, inner.end) or ends_range(text, inner.start)):
            yield "/form", inner, 1.0
            yield "", leaf, _AROUND_FORM
            return
        yield "", leaf, 1.0
        if field.type in ("number", "integer"):
            if (note := texts.note(text[leaf.start : leaf.end])) and not has_form:
                yield _NOTED, leaf._replace(end=leaf.start + note), _PART_WEIGHT
            return
        if leaf.start >= self._page.visible_end:
            return
        if not PROSE.isdisjoint(field.words):
            return
        for part, shorter in slices.parts(self._page, leaf):
            most = shorter.end - shorter.start >= _MOST_OF_IT * (leaf.end - leaf.start)
            yield part, shorter, _CLEANER if part == "/before" and most else _PART_WEIGHT

    def _list(self, field: Field, each: ScoredCandidate) -> Iterator[FieldReading]:
        candidate, item = each.candidate, field.item
        assert item is not None  # noqa: S101 - the caller looked
        leaves = self._without_marks(candidate.leaves)
        people = "#author" in field.words
        if leaves and not candidate.many:
            whole = labels.without_label(self._page, leaves[0], field.words)
            prose = not PROSE.isdisjoint(field.words)
            leaves = lists.split(self._page, whole, prose=prose, people=people)
        leaves = lists.unnumbered(self._page, leaves[:MOST_ITEMS])
        leaves = lists.without_ending(self._page, leaves)
        text = self._page.text
        leaves = tuple(each for each in leaves if not _is_name(field, text[each.start : each.end]))
        read = [self._read(item, leaf, each.score, candidate, field) for leaf in leaves]
        items = tuple(reading for reading in read if reading is not None)
        if not items:
            return
        sure = min(1.0, sum(reading.confidence for reading in items) / len(read))
        if len(items) == 1 and candidate.method in _SHOWN:
            sure *= _SINGLE_ITEM
        is_split = not candidate.many and candidate.method in _SHOWN
        spoken = sum(len(item.quote.split()) for item in items)
        if is_split and spoken > _LONGEST_TERM * len(items):  # as long as parts of a sentence
            sure *= _CLAUSES
        items = tuple(replace(reading, confidence=sure) for reading in items)
        values = [reading.value for reading in items]
        doubt = people and not candidate.many and texts.is_one_name([x.quote for x in items])
        path = candidate.path
        yield FieldReading(values, sure, candidate.method, path, ambiguous=doubt, items=items)

    def _read(
        self,
        field: Field,
        leaf: Leaf,
        score: float,
        candidate: FieldCandidate,
        array: Field | None = None,
        *,
        part: str = "",
        doubt: bool = False,
    ) -> FieldReading | None:
        """A slice as the value of a field, or of an item of `array`; `part` is its name where it
        is one of what a candidate has."""
        if "#author" in field.words:
            leaf = people.without_preposition(self._page, leaf)
        elif field.words == _SEVERAL_LINES and not _ADDRESS.isdisjoint(split(field.name)):
            leaf = slices.with_lines_below(self._page, leaf)
        quote = self._page.text[leaf.start : leaf.end]
        if "#author" in field.words and not field.format and not people.is_name(quote):
            return None
        if self._is_menu(array or field, leaf) or _is_name(array or field, quote):
            return None
        value = typed_item(quote, array, self._context) if array else None
        value = value or typed(quote, field, self._context)
        if value is None or self._is_otherwise(field, quote, leaf, candidate):
            return None
        plausibility = 1.0 if candidate.prose else _plausibility(field, value.value, quote)
        sure = score * (max(plausibility, _ITEM_PLAUSIBILITY) if array else plausibility)
        if value.ambiguous:
            sure *= AMBIGUOUS
        if leaf.pointer and _is_smaller(field, value.value):
            sure *= _SMALLER
        return FieldReading(
            value=value.value,
            confidence=min(1.0, sure),
            method=candidate.method,
            path=f"{candidate.path}{part}",
            transform=value.transform,
            selector=self._selectors.of(leaf.element),
            json_pointer=leaf.pointer,
            ambiguous=value.ambiguous or doubt or self._is_open(field, leaf),
            precision=value.precision,
            kind="visible" if leaf.start < self._page.visible_end else "structured",
            **cited(self._page.text, leaf.start, leaf.end),
        )

    def _is_open(self, field: Field, leaf: Leaf) -> bool:
        """True if a number is a bound, raised digits would be read as more of it, or what is said
        of it, or of its table, has it in another size."""
        is_measured = field.type == "number" or bool(field.currency)  # people are counted
        return field.type in ("number", "integer") and (
            self._marks.are_raised(leaf.start, leaf.end)
            or is_bound(self._page.text, leaf.start, leaf.end, field)
            or (is_measured and is_in_size(self._marks.said_before(leaf), field))
        )

    def _is_otherwise(
        self, field: Field, quote: str, leaf: Leaf, candidate: FieldCandidate
    ) -> bool:
        """True if a number is in another currency or unit than its field wants, or the price that
        was."""
        return field.type in ("number", "integer") and (
            self._stated.differ(field, quote, leaf.pointer)
            or is_otherwise(candidate.said, quote, field)
            or (is_price(field) and is_former(self._page.text, leaf.start, leaf.end, field))
        )

    def _is_menu(self, field: Field, leaf: Leaf) -> bool:
        """True for links where a description is asked for: they lead to one."""
        return (
            leaf.end <= self._page.visible_end
            and not (PROSE if field.item else _TOLD).isdisjoint(field.words)
            and leaf.element in self._page.places
            and (leaf.element.tag == "a" or lead_text.is_linked(self._page, leaf.element))
        )

    def _placed(self, reading: FieldReading) -> FieldReading:
        """`reading` with the quote that is visible, if there is just one place where the page shows
        it, by itself: "Rose" is not in "Roseville"."""
        if reading.items:
            items = tuple(self._placed(item) for item in reading.items)
            return replace(reading, items=items)
        text, quote, end = self._page.text, reading.quote, self._page.visible_end
        if reading.start < end or len(quote) < _SHORTEST_TELLING or quote.isdigit():
            return reading
        start = text.find(quote, 0, end)
        stop = start + len(quote)
        is_once = start >= 0 and text.find(quote, start + 1, end) < 0
        if not is_once or not is_whole(text, start, stop):
            return reading
        return replace(reading, kind="visible", **cited(text, start, stop))


def _is_name(field: Field, quote: str) -> bool:
    """True if a slice is what its field is called, as the numbered heading of a section is."""
    plain = words(_OUTLINE.sub("", quote[:_LONGEST_PLAIN]))
    return not field.enum and bool(plain) and plain == words(field.name)


def _plausibility(field: Field, value: Any, quote: str) -> float:
    if isinstance(value, int | float) and "#rating" in field.words and value > _BEST_RATING:
        return _COUNTED
    if not isinstance(value, str) or field.enum or field.format:
        return 1.0
    if not PROSE.isdisjoint(field.words):
        return 1.0 if len(value) >= _SHORTEST_PROSE else 0.6
    if "\n" in quote and _SEVERAL_LINES.isdisjoint(field.words):
        return 0.6
    return 1.0 if len(value) <= _LONGEST_PLAIN else 0.5


def _is_smaller(field: Field, value: Any) -> bool:
    """True if a value is the address of a picture made smaller than another of the page."""
    return "#image" in field.words and isinstance(value, str) and bool(_SIZE.search(value))
