"""Learn from one page with its record where the pages of its site show the values of each field."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import element_path, is_labelled, is_rough, standing
from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.readings import Readings
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.site.example_rows import learn_rows
from app.engine.extraction.site.template import PRIOR, Habit, Template
from app.engine.extraction.text.onetext import OneText, one
from app.engine.extraction.values.compare import same
from app.engine.extraction.values.typed import Context
from app.engine.extraction.values.values import typed
from app.engine.pages.formats.html import parse

_MOST_RECORDS = 10
_MOST_PATHS = 3  # of a kind
_LEAST = 0.5
_WITHIN = 0.8
_ROUGHLY = 0.7
_ONE_OF_SEVERAL = 0.9  # for the first of several at a place, and for a place known by a label
_LONGEST_TYPED = 60
_MOST_TYPED = 500
_SHORTEST_WITHIN = 4
_LONGEST_AROUND = 40
_DIGIT = re.compile(r"\d")
_PAGES_OWN = re.compile(r"[\d\n]")
_LONGEST = 20_000


def learn_example(
    markup: str, url: str, plan: Plan, data: Mapping[str, Any] | Sequence[Mapping[str, Any]]
) -> Template:
    """The template of the pages like the one in `markup`, whose record is `data`, or one or some of
    the many records of which are.

    A value teaches a place if the page shows just it there, or if it is read there by another
    method. Values that the page does not show teach nothing. Raises PageUnreadable.
    """
    root = parse(markup)
    page = one(root)
    read_alone = extract(root, url, plan)
    readings = read_alone.readings
    context = Context(url, read_alone.language)
    records = [data] if isinstance(data, Mapping) else list(data[:_MOST_RECORDS])
    given = [list(_given(plan, record)) for record in records]
    if rows := learn_rows(page, root, given, context):
        return rows
    shown = _Shown(page, context)
    habits: dict[str, Habit] = {}
    for field, value in given[0] if given else ():
        within = shown.within(field, value) if isinstance(value, str) else {}
        read = _read_at(readings, field, value)
        places = dict.fromkeys(within, _WITHIN) | shown.paths(field, value)
        places |= {path: 1.0 for path, quote in read.items() if shown.leads(path, quote)}
        habits[field.pointer] = Habit(
            shown=_best(places),
            read=_best(dict.fromkeys(read, 1.0)),
            before={path: (texts[0],) for path, texts in within.items() if texts[0]},
            after={path: (texts[1],) for path, texts in within.items() if texts[1]},
        )
    return Template(habits)


def _best(places: Mapping[str, float]) -> dict[str, float]:
    kinds: dict[tuple[bool, bool], list[tuple[str, float]]] = defaultdict(list)
    for path, weight in sorted(places.items(), key=lambda each: -each[1]):
        if weight >= _LEAST:
            kinds[is_rough(path), is_labelled(path)].append((path, round(PRIOR * weight, 4)))
    return dict(each for its in kinds.values() for each in its[:_MOST_PATHS])


def _given(plan: Plan, data: Mapping[str, Any]) -> Iterator[tuple[Field, Any]]:
    """The fields that the record has a value for, but for lists of objects."""
    for field in plan.fields:
        value = data.get(field.name)
        if field.type == "object" and field.items and isinstance(value, Mapping):
            yield from _given(field.items, value)
        elif not field.items and value not in (None, "", []):
            yield field, value


def _read_at(readings: Readings, field: Field, value: Any) -> dict[str, str]:
    """The paths at which some method read just this value, with its quote."""
    return {
        reading.path: reading.quote
        for entity in readings.entities
        for reading in entity.fields.get(field.pointer, ())
        if same(field, reading.value, value)
    }


class _Shown:
    """The elements of a page by what they show."""

    def __init__(self, page: OneText, context: Context) -> None:
        self._context = context
        self._by_text: dict[str, list[HtmlElement]] = defaultdict(list)
        self._page = page
        self._order: dict[str, list[HtmlElement]] = defaultdict(list)
        for element, (start, end) in page.places.items():
            if end - start <= _LONGEST:
                self._by_text[_folded(page.text[start:end])].append(element)
        for element in page.places:
            for place in standing(page, element):
                self._order[place].append(element)

    def paths(self, field: Field, value: Any) -> dict[str, float]:
        """By path how well what stands there is the value: of a list all items and no others."""
        wanted = [_folded(item) for item in (value if isinstance(value, list) else [value])]
        elements = {each for text in wanted if text for each in self._by_text.get(text, ())}
        elements |= self._typed(field, value)
        counted = Counter(place for element in elements for place in standing(self._page, element))
        return {
            f"text:{field.name}@{path}": weight
            for path, right in counted.items()
            if (weight := self._weight(path, right, len(wanted), elements)) >= _LEAST
        }

    def _typed(self, field: Field, value: Any) -> set[HtmlElement]:
        """The elements whose whole text is a number or a date as the value, however written."""
        if field.type not in ("integer", "number") and field.format not in ("date", "date-time"):
            return set()
        short = [
            text for text in self._by_text if len(text) <= _LONGEST_TYPED and _DIGIT.search(text)
        ]
        right = {
            element
            for text in short[:_MOST_TYPED]
            if (read := typed(self._page.of(self._by_text[text][0]), field, self._context))
            and not read.ambiguous
            and same(field, read.value, value)
            for element in self._by_text[text]
        }
        return right - {above for element in right for above in element.iterancestors()}

    def leads(self, path: str, quote: str) -> bool:
        """True if the first element at the place of a path shows just the quote."""
        first = self._order.get(path.rpartition("@")[2], [])[:1]
        return bool(quote) and [self._page.of(element) for element in first] == [quote]

    def within(self, field: Field, value: str) -> dict[str, tuple[str, str]]:
        """By path what stands before and after the value where a little more than it is shown."""
        wanted = " ".join(value.split())
        if len(wanted) < _SHORTEST_WITHIN:
            return {}
        holding = [
            (end - start, at, element)
            for at, (element, (start, end)) in enumerate(self._page.places.items())
            if 0 < end - start - len(wanted) <= _LONGEST_AROUND
            and wanted in self._page.text[start:end]
        ]
        found: dict[str, tuple[str, str]] = {}
        for _, _, element in sorted(holding, key=lambda each: each[:2])[:_MOST_PATHS]:
            before, _, after = self._page.of(element).partition(wanted)
            path = element_path(element)
            if self._order[path][0] is element and not _PAGES_OWN.search(before + after):
                found.setdefault(f"text:{field.name}@{path}", (before, after))
        return found

    def _weight(self, path: str, right: int, wanted: int, elements: set[HtmlElement]) -> float:
        if wanted == 1:
            return self._weight_of_one(path, elements)
        if is_labelled(path):
            return 0.0
        share = 2 * min(right, wanted) / (len(self._order[path]) + wanted)
        return share * (_ROUGHLY if is_rough(path) else 1.0)

    def _weight_of_one(self, place: str, elements: set[HtmlElement]) -> float:
        there = self._order[place]
        if there[0] not in elements:
            return 0.0
        if is_rough(place):
            return _ROUGHLY if len(there) == 1 else 0.0
        alone = len(self._order[place.partition("^")[0]]) == 1
        return 1.0 if alone != is_labelled(place) else _ONE_OF_SEVERAL


def _folded(value: Any) -> str:
    return " ".join(str(value).casefold().split())
