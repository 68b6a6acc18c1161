"""The consensus of several pages of a host about each: values that never change are text of the
template, and the place that works on the host is right more often than one that happens to fit.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from app.engine.extraction.records.readings import Entity, FieldReading, Readings
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.site.template import (
    CONSTANT,
    LONGEST_AFFIX,
    MOST_AFFIXES,
    Habit,
    Template,
    digest,
    kind_of,
)

FEWEST_PAGES = 4
_ALIKE = 0.3  # the share of the places of the page with fewer that both must have
_USUAL = 0.6  # the share of pages a value must be on to be text of the template
_SAME = 0.25  # at most so many different values for each page that has one
_MOST_PATHS = 100
_EVERYWHERE = 0.75
_FOR_WORKING = 0.3  # for a place that has a value of its own on nearly every page
_SURE = 0.6
_LABELLED = frozenset({"table", "labels"})
_MOST_COMPARED = 6
_HEAD = re.compile(r"^[^\n|»›•·]{1,100}?(?:\n|\s?[|»›•·]\s|\s[–—-]\s|:\s)")
_TAIL = re.compile(r"(?:\n|\s[|»›•·]\s|\s[–—-]\s)[^\n|»›•·]{1,100}$|\s[|»›•·]$")
_DIGIT = re.compile(r"\d")
_PARTED = re.compile(r"[\n|»›•·]")
_LONG = words("description") | words("body")  # no two pages are described alike
_STATED = frozenset({"json_ld", "microdata", "rdfa"})


def learn(plan: Plan, pages: Sequence[Readings]) -> Template | None:
    """The template of the pages of one host that are about one thing each, or None: fewer than four
    of one making say nothing. Pages are of one making if values stand at the same places.
    """
    read = [page for page in pages if len(page.entities) == 1]
    learnt = [_learn(plan, alike) for alike in _makings(read) if len(alike) >= FEWEST_PAGES]
    return reduce(Template.joined, learnt) if learnt else None


def _makings(pages: Sequence[Readings]) -> list[list[Readings]]:
    """The pages in groups, each page with the first one that shows values at places like its."""
    groups: list[tuple[frozenset[str], list[Readings]]] = []
    for page in pages:
        places = _places(page)
        alike = next((its for first, its in groups if _are_alike(places, first)), None)
        if alike is None:
            groups.append((places, [page]))
        else:
            alike.append(page)
    return [its for _, its in groups]


def _places(page: Readings) -> frozenset[str]:
    """The places of the readings of a page; what is stated for programs stands anywhere alike."""
    return frozenset(
        reading.path.partition("@")[2]
        for entity in page.entities
        for readings in entity.fields.values()
        for reading in readings
        if "@" in reading.path
    )


def _are_alike(some: frozenset[str], others: frozenset[str]) -> bool:
    return not (some or others) or len(some & others) >= _ALIKE * min(len(some), len(others)) > 0


def _learn(plan: Plan, pages: Sequence[Readings]) -> Template:
    habits = {
        each.pointer: _habit(each, [_best(page, each.pointer) for page in pages])
        for each in plan.every()
        if not each.items
    }
    return Template({pointer: habit for pointer, habit in habits.items() if habit.support})


def _best(page: Readings, pointer: str) -> Mapping[str, FieldReading]:
    """By path, and by kind of path, the surest reading of a field on a page."""
    best: dict[str, FieldReading] = {}
    for reading in _readings(page.entities, pointer):
        for path in (reading.path, kind_of(reading.path)):
            if path not in best or best[path].confidence < reading.confidence:
                best[path] = reading
    return best


def _readings(entities: Sequence[Entity], pointer: str) -> Iterator[FieldReading]:
    for entity in entities:
        yield from entity.fields.get(pointer, ())


def _habit(wanted: Field, pages: Sequence[Mapping[str, FieldReading]]) -> Habit:
    at_path: dict[str, list[FieldReading]] = defaultdict(list)
    for page in pages:
        for path, reading in page.items():
            at_path[path].append(reading)
    support: dict[str, float] = {}
    constants: set[str] = set()
    template = {path for path, its in at_path.items() if _is_template(wanted, its, len(pages))}
    others = max((len(its) for path, its in at_path.items() if path not in template), default=0)
    if others < _USUAL * len(pages) and _LONG.isdisjoint(wanted.words):
        template = set()  # there is nothing else: the pages may well agree in it
    for path, readings in at_path.items():
        usual = sum(reading.confidence for reading in readings) / len(pages)
        if path in template:
            constants.update(digest(reading.value) for reading in readings)
            usual *= CONSTANT
        elif len(readings) >= max(FEWEST_PAGES, _EVERYWHERE * len(pages)):
            usual += _FOR_WORKING * (len(readings) / len(pages))
        support[path] = round(min(1.0, usual), 4)
    best = dict(sorted(support.items(), key=lambda each: -each[1])[:_MOST_PATHS])
    if wanted.type != "string" or wanted.format:
        return Habit(best, constants=frozenset(constants))
    _prefer_bare(best, pages)
    quotes = {path: [reading.quote for reading in at_path[path]] for path in best}
    return Habit(
        best,
        constants=frozenset(constants),
        before={path: heads for path, its in quotes.items() if (heads := affixes(its, _HEAD))},
        after={path: tails for path, its in quotes.items() if (tails := affixes(its, _TAIL))},
    )


def _is_template(wanted: Field, readings: Sequence[FieldReading], pages: int) -> bool:
    """True if what stands at a path is text of the template rather than of the page."""
    if wanted.enum or wanted.type == "boolean" or readings[0].method in _STATED:
        return False
    if readings[0].method in _LABELLED and readings[0].confidence >= _SURE:
        return False  # a label that names the field: pages may well agree in it
    if len(readings) < max(FEWEST_PAGES, _USUAL * pages):
        return False
    return len({digest(reading.value) for reading in readings}) <= _SAME * len(readings)


def _prefer_bare(support: dict[str, float], pages: Sequence[Mapping[str, FieldReading]]) -> None:
    """Doubt places that show what another place shows, always with the same words around it."""
    leading = list(support)[:_MOST_COMPARED]
    for longer in leading:
        for bare in leading:
            if longer != bare and _adds_the_same(longer, bare, pages):
                support[longer] *= CONSTANT
                break


def _adds_the_same(longer: str, bare: str, pages: Sequence[Mapping[str, FieldReading]]) -> bool:
    """True if one place shows the value of another with words around that are no page's own."""
    both = [(page[longer].quote, page[bare].quote) for page in pages if {longer, bare} <= set(page)]
    added = Counter(
        (before, after)
        for quote, inner in both
        if inner and inner != quote
        for before, found, after in (quote.partition(inner),)
        if found and not _DIGIT.search(before + after)
    )
    most = added.most_common(1)
    return bool(most) and most[0][1] >= max(FEWEST_PAGES - 1, _EVERYWHERE * len(both))


def affixes(quotes: Sequence[str], form: re.Pattern[str]) -> tuple[str, ...]:
    """Finds what many of the quotes begin or end with, parted from the rest by a mark or a line."""
    counted = Counter(match[0] for quote in quotes if (match := form.search(quote)))
    return tuple(
        affix
        for affix, times in counted.most_common(MOST_AFFIXES)
        if len(affix) <= LONGEST_AFFIX and times >= _fewest(affix, len(quotes))
    )


def _fewest(affix: str, quotes: int) -> float:
    """On how many pages text must stand to be of the template: dashes and colons part less."""
    return max(3, (0.3 if _PARTED.search(affix) else 0.9) * quotes)
