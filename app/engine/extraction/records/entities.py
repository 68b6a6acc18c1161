"""The things described on a page: which of them are its records, and what is said of each."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from app.engine.extraction.methods.candidates import Thing
from app.engine.extraction.methods.name_match import (
    Names,
    ScoredCandidate,
    called,
    likeness,
    names_of,
)
from app.engine.extraction.records.field_values import ValueReader
from app.engine.extraction.records.readings import MOST_ITEMS, Entity, FieldReading
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.values.calibration import VALUE_FROM
from app.engine.pages.blocks.walk import name_set

_LIST_FROM = 0.3  # likeness of names for a list of things to be a list of objects
_TYPE_WEIGHT = 1.5
_DEPTH_COST = 0.05
_COVERED_FROM = 0.45
_ALIKE_FROM = 0.85  # of the best score, for things of its type to be records beside it
_MOST_MERGED = 4
_LESSER_WEIGHT = 0.6
_LEAST_WEIGHT = 0.25
_DOCUMENTS = ("Article", "Posting", "Page")  # which the names of their types end with
_LEAST_SCORE = 0.1
_FULL = 3
# What describes the page, the site or a part, and is seldom what somebody wants a record of.
_SUPPORTING = name_set(
    "Organization WebSite WebPage BreadcrumbList ListItem ImageObject Person SearchAction "
    "ReadAction SiteNavigationElement WPHeader WPFooter WPSideBar CollectionPage ItemList "
    "EntryPoint PostalAddress ContactPoint AggregateRating Rating"
)

Fields = dict[str, tuple[FieldReading, ...]]


class ThingReader:
    """Reads things for the fields of one plan."""

    def __init__(self, plan: Plan, values: ValueReader) -> None:
        self.plan = plan
        self.names = names_of(plan)
        self._values = values
        self._fields = {field.pointer: field for field in plan.every()}

    def thing(self, thing: Thing, score: float) -> Entity:
        """One thing by itself."""
        fields = self.read(self.names.ranked(thing.candidates))
        return Entity(score, thing.place, fields, self.objects(thing))

    def read(self, scored: Mapping[str, list[ScoredCandidate]]) -> Fields:
        read = {
            pointer: self._values.readings(self._fields[pointer], found)
            for pointer, found in scored.items()
        }
        return {pointer: readings for pointer, readings in read.items() if readings}

    def objects(self, thing: Thing) -> dict[str, tuple[Entity, ...]]:
        """The objects in the lists of a thing, for the fields that are lists of objects."""
        objects: dict[str, tuple[Entity, ...]] = {}
        for field in self._fields.values():
            if field.type == "array" and field.items and thing.lists:
                alike, key = max((called(field, key), key) for key in thing.lists)
                if alike >= _LIST_FROM:
                    below = ThingReader(field.items, self._values)
                    parts = thing.lists[key][:MOST_ITEMS]
                    objects[field.pointer] = tuple(below.thing(part, 1.0) for part in parts)
        return objects


@dataclass(frozen=True, slots=True)
class ScoredThing:
    """A thing with how well it fits the plan, and how much what is said of it counts."""

    score: float
    thing: Thing
    weight: float = 1.0


def judged(plan: Plan, names: Names, things: Sequence[Thing]) -> list[ScoredThing]:
    """The things that fit the plan at all, best first."""
    for each in things:
        _open_ranges(each)
    scored = [
        ScoredThing(_score(plan, names, thing), thing, _weight(plan, thing)) for thing in things
    ]
    return sorted(
        (each for each in scored if each.score >= _LEAST_SCORE),
        key=lambda each: (-each.score, each.thing.place),
    )


def _weight(plan: Plan, thing: Thing) -> float:
    """Returns less than 1 for a document if another thing is asked for: who wrote it need not have
    made what it is about."""
    is_document = any(_local(name).endswith(_DOCUMENTS) for name in thing.types)
    is_another = plan.title and not alike_in_kind(plan, thing)
    return _LESSER_WEIGHT if is_document and is_another else 1.0


def _open_ranges(thing: Thing) -> None:
    """Give a price the ends of the range that is stated beside it: it is one of several."""
    known = {each.path: each.leaves for each in thing.candidates}
    for each in thing.candidates:
        beside, _, name = each.path.rpartition("/")
        if name == "price":
            ends = (known.get(f"{beside}/{end}", ()) for end in ("lowPrice", "highPrice"))
            each.leaves += tuple(leaf for end in ends for leaf in end)


def several(ranked: Sequence[ScoredThing]) -> list[Thing]:
    """The things that are records side by side, in order of the page; [] if one is the record."""
    if len(ranked) < 2 or not ranked[0].thing.types:
        return []
    best = ranked[0]
    alike = [
        each.thing
        for each in ranked
        if each.thing.types == best.thing.types and each.score >= _ALIKE_FROM * best.score
    ]
    return sorted(alike, key=lambda thing: thing.place) if len(alike) > 1 else []


def weighted(ranked: Sequence[ScoredThing]) -> list[tuple[Thing, float]]:
    """The thing that is the record, and lesser ones that may say more about it: not those that it
    has in it under a name of their own."""
    chosen: list[tuple[Thing, float]] = []
    others = set[int]().union(*(its for each in ranked[:1] for its in each.thing.others.values()))
    lesser = [each for each in ranked[1:] if each.thing.place not in others]
    for each in [*ranked[:1], *lesser][:_MOST_MERGED]:
        weight = _LESSER_WEIGHT * each.score / ranked[0].score if chosen else 1.0
        if weight >= _LEAST_WEIGHT:
            chosen.append((each.thing, weight * each.weight))
    return chosen


def answered(
    entity: Entity,
    fields: Sequence[Field],
    outside: Sequence[tuple[int, int]],
    methods: frozenset[str] | None = None,
) -> float:
    """Rates how surely the fields are answered, on average, outside of some slices."""
    begins = [start for start, _ in outside]
    total = 0.0
    for readings in entity.fields.values():
        reading = readings[0].items[0] if readings[0].items else readings[0]
        row = bisect_right(begins, reading.start) - 1
        if methods is not None and readings[0].method not in methods:
            continue
        if row < 0 or outside[row][1] < reading.end:
            total += readings[0].confidence
    return total / max(1, len(fields))


def full_rows(rows: Sequence[Entity]) -> tuple[Entity, ...]:
    """The rows without headings between them, which answer one field where others do three."""
    answered = [
        sum(readings[0].confidence >= VALUE_FROM for readings in row.fields.values())
        for row in rows
    ]
    if not rows or median(answered) < _FULL:
        return tuple(rows)
    return tuple(row for row, count in zip(rows, answered, strict=True) if count > 1)


def _score(plan: Plan, names: Names, thing: Thing) -> float:
    covered = {
        field.pointer
        for candidate in thing.candidates
        for field, alike in names.alike(candidate.key, candidate.kind)
        if alike >= _COVERED_FROM
    }
    coverage = len(covered) / max(1, names.count)
    kind = alike_in_kind(plan, thing)
    if not kind and any(_local(name) in _SUPPORTING for name in thing.types):
        coverage *= 0.4
    return min(1.0, (coverage + _TYPE_WEIGHT * kind - _DEPTH_COST * thing.depth) / 2.5)


def alike_in_kind(plan: Plan, thing: Thing) -> float:
    """Rates how much a type of a thing is like what the plan is called."""
    title = words(plan.title) if plan.title else frozenset[str]()
    return max((likeness(title, words(_local(name))) for name in thing.types), default=0.0)


def _local(name: str) -> str:
    """The name of a type without its vocabulary: https://schema.org/Product is Product."""
    return name.rstrip("/#").rpartition("/")[2].rpartition("#")[2]
