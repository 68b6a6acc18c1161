"""Read a page for a plan: structured data first, the page itself for what that left open."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from app.engine.extraction.methods import (
    classes,
    headings,
    images,
    json_ld,
    labels,
    lead_text,
    links,
    markup,
    meta,
    people,
    shapes,
    tables,
    widgets,
)
from app.engine.extraction.methods.candidates import FieldCandidate, Thing, standing
from app.engine.extraction.methods.name_match import ScoredCandidate
from app.engine.extraction.records import entities, field_values
from app.engine.extraction.records.entities import Fields, ThingReader
from app.engine.extraction.records.likelihood import (
    Learnt,
    are_likely,
    evidence,
    evidence_of_page,
    no_surer,
    of_one,
    says_more,
    stands_as_shown,
)
from app.engine.extraction.records.readings import Entity, FieldReading, Readings
from app.engine.extraction.rows import regions
from app.engine.extraction.rows.other_things import others
from app.engine.extraction.rows.pairs import by_top_line
from app.engine.extraction.rows.regions import Region
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.extraction.text.surroundings import Surroundings
from app.engine.extraction.values.calibration import (
    LABELLED,
    NAMED_FROM,
    ROWS_FROM,
    probability,
)
from app.engine.extraction.values.typed import Context

Family = Literal["all", "structured", "visible"]

_SETTLED_FROM = 0.75  # fields read more surely than this are not looked for in the page itself
_SETTLING = frozenset({"json_ld", "microdata", "rdfa"})
_TELLING = _SETTLING | {"table", "labels"}  # every page has a title and a text that leads in
# What a page states of itself or its site as well, where what it is about is called otherwise.
_OF_ANOTHER = frozenset(
    {"#author", "#published", "#modified", "#publisher", "#phone", "#email", "#location"}
)
_WHOLE_FROM = 0.7  # stated so well, a page is one record
_DECISIVE = 0.4  # a thing that is stated and fits the plan so well is the record
_ROWS_FROM = 0.15
_HEADING_WEIGHT = 0.8  # of a heading for a field that is not called a name
_MOST_LEARNT = 1_000
_LONGEST_HEADING, _CALLED = 45, 0.96


def read_page(
    page: OneText,
    root: HtmlElement,
    plan: Plan,
    context: Context,
    *,
    family: Family = "all",
    learnt: Learnt | None = None,
) -> Readings:
    """The readings of each entity of a page that may be a record."""
    reader = ThingReader(plan, field_values.ValueReader(page, context))
    page_reader = _PageReader(page, root, reader, context.url, family, learnt)
    if family != "structured" and (taught := page_reader.taught_rows()):
        return Readings(taught)
    things = [*json_ld.things(page), *markup.things(page, root)] if family != "visible" else []
    ranked = entities.judged(plan, reader.names, things)
    if not ranked and family != "visible":
        ranked = entities.judged(plan, reader.names, json_ld.state(page))[:1]
    if several := entities.several(ranked):
        score = {id(each.thing): each.score for each in ranked}
        return Readings(tuple(reader.thing(thing, score[id(thing)]) for thing in several))
    whole = page_reader.entity(ranked)
    decided = bool(ranked) and ranked[0].score >= _DECISIVE
    rows, features = page_reader.rows(whole) if family != "structured" and not decided else ((), {})
    if are_likely(features):
        return Readings(no_surer(rows, features), features)
    by_itself = evidence_of_page(page, plan, whole) if family == "all" else {}
    is_one = family != "all" or page_reader.is_record(whole, by_itself)
    return Readings(no_surer((whole,), by_itself) if is_one else (), by_itself)


class _PageReader:
    """Reads a page as one entity."""

    def __init__(
        self,
        page: OneText,
        root: HtmlElement,
        reader: ThingReader,
        url: str,
        family: Family,
        learnt: Learnt | None,
    ) -> None:
        self._root = root
        self._shown_candidates: list[FieldCandidate] = []
        self._url = url
        self._host = urlsplit(url).hostname or ""
        self._page, self._reader, self._names = page, reader, reader.names
        self._family, self._learnt = family, learnt

    def entity(self, ranked: list[entities.ScoredThing]) -> Entity:
        """Returns what the page says of the best thing in it, of lesser ones, and by itself."""
        best = ranked[0] if ranked else entities.ScoredThing(0.0, Thing())
        scored: dict[str, list[ScoredCandidate]] = {}
        for thing, weight in entities.weighted(ranked):
            _merge(scored, self._names.ranked(thing.candidates, weight))
        if self._family != "visible":
            _merge(scored, self._names.ranked(meta.named(self._page, self._url)))
        fields = self._reader.read(scored)
        if self._family != "structured":
            fields |= self._open_fields(fields, scored, best.thing)
        fields = of_one(self._reader.plan, fields)
        return Entity(best.score, best.thing.place, fields, self._reader.objects(best.thing))

    def is_record(self, whole: Entity, features: Mapping[str, float]) -> bool:
        """True if the page answers some of a record, or has a value where an example shows it."""
        is_probable = not features or probability(features) >= ROWS_FROM
        return (is_probable and says_more(self._names, whole, self._in_furniture)) or (
            self._learnt is not None and stands_as_shown(whole, self._learnt)
        )

    def _in_furniture(self, reading: FieldReading) -> bool:
        first = reading.items[0] if reading.items else reading
        if first.json_pointer is not None or first.start >= self._page.visible_end:
            return False
        found = self._root.getroottree().xpath(first.selector)
        return any(self._around.in_furniture(element) for element in found)

    def taught_rows(self) -> tuple[Entity, ...]:
        """The records in the regions in which an example showed that records are."""
        if self._learnt is None or not self._learnt.rows:
            return ()
        plan, rows = self._reader.plan, self._learnt.rows
        listed = regions.taught(self._page, self._root, plan, rows, self._shown())
        return tuple(self._reader.thing(thing, 1.0) for thing in self._records(listed))

    def _records(self, listed: Sequence[Region]) -> Sequence[Thing]:
        things, truncated = regions.records(listed)
        self._page.truncated |= truncated
        return things

    def rows(self, whole: Entity) -> tuple[tuple[Entity, ...], Mapping[str, float]]:
        """The records of what repeats, if they answer more than the page, with their features."""
        fields = self._reader.plan.fields
        if entities.answered(whole, fields, (), _SETTLING) >= _WHOLE_FROM:
            return (), {}
        listed = regions.regions(self._page, self._root, self._reader.plan, self._shown_candidates)
        if not listed or listed[0].score < _ROWS_FROM or not listed[0].is_main:
            return (), {}
        best = listed[0]
        if len(best.answers) < min(2, len(fields)):
            return (), {}
        methods = _TELLING if best.by_place else None
        is_answered = entities.answered(whole, fields, best.slices, methods) >= best.score
        if is_answered and not (best.is_said and len(best.answers) == len(fields)):
            return (), {}
        rows = entities.full_rows(
            [self._reader.thing(thing, best.score) for thing in self._records(listed)]
        )
        return rows, evidence(self._reader.plan, rows, best.said, min(1.0, best.share))

    def _open_fields(
        self, fields: Fields, scored: dict[str, list[ScoredCandidate]], best: Thing
    ) -> Fields:
        """The readings of fields that structured data left open, from the page itself too."""
        is_another = not entities.alike_in_kind(self._reader.plan, best)
        is_open = {
            field.pointer
            for field in self._reader.plan.every()
            if not _is_settled(field, fields)
            or (is_another and not _OF_ANOTHER.isdisjoint(field.words))
            or (self._learnt and self._learnt.paths(field.pointer))
        }
        if not is_open:
            return {}
        shown = self._names.ranked(self._shown())
        _merge(shown, self._unnamed(shown))
        _merge(shown, self._at_learnt_paths(is_open))
        opened = {pointer: scored.get(pointer, []) + shown.get(pointer, []) for pointer in is_open}
        return self._reader.read(opened)

    @cached_property
    def _titles(self) -> list[FieldCandidate]:
        return headings.titles(self._page, self._host)

    @cached_property
    def _around(self) -> Surroundings:
        kind = self._reader.plan.title
        beside = others(self._page, kind, lambda text: bool(self._called(text)))
        return Surroundings(self._page, beside)

    def _shown(self) -> list[FieldCandidate]:
        page, names = self._page, self._names
        titles = self._titles
        title = page.text[titles[0].start : titles[0].end] if titles else ""
        pictures = images.pictures(page)
        for each in pictures:
            each.candidate.prior = probability(each.evidence)
        candidates = [
            *tables.pairs(page, names),
            *labels.labelled(page, names),
            *titles,
            *headings.below(page, names),
            *classes.named(page, names),
            *(each.candidate for each in pictures),
            *people.named(page),
            *links.named(page, names, self._url),
            *widgets.stated(page, names),
        ]
        candidates += lead_text.lead(page, titles[0] if titles else None)
        for candidate in candidates:
            candidate.prior *= self._around.weight(candidate.element)
        candidates += lead_text.trail(page, self._root, title, self._reader.plan.title)
        self._shown_candidates = candidates
        return candidates

    def _unnamed(
        self, named: Mapping[str, list[ScoredCandidate]]
    ) -> dict[str, list[ScoredCandidate]]:
        """Finds what may be a field though nothing names it, by its form or as a heading."""
        scored: dict[str, list[ScoredCandidate]] = {}
        unnamed = [
            *shapes.shaped(self._page, self._reader.plan),
            *by_top_line(self._page, self._reader.plan),
        ]
        for field, candidate in unnamed:
            score = candidate.prior * self._around.weight(candidate.element)
            scored.setdefault(field.pointer, []).append(ScoredCandidate(score, candidate))
        heading = self._names.heading
        if heading and not any(map(_is_labelled, named.get(heading.pointer, ()))):
            for title in self._titles:
                score = _HEADING_WEIGHT * title.prior
                scored.setdefault(heading.pointer, []).append(ScoredCandidate(score, title))
        return scored

    def _at_learnt_paths(self, pointers: Iterable[str]) -> dict[str, list[ScoredCandidate]]:
        wanted: dict[str, list[tuple[str, str, float]]] = {}
        for pointer in pointers:
            for path, prior in (self._learnt.paths(pointer) if self._learnt else {}).items():
                wanted.setdefault(path.rpartition("@")[2], []).append((pointer, path, prior))
        leaves: dict[tuple[str, str, float], list[Leaf]] = {}
        for element, place in self._page.places.items() if wanted else ():
            for name in standing(self._page, element):
                for each in wanted.get(name, ()):
                    if self._called(self._page.of(element)) <= {each[0]}:
                        leaves.setdefault(each, []).append(Leaf(*place, None, element))
        scored: dict[str, list[ScoredCandidate]] = {}
        for (pointer, path, prior), found in leaves.items():
            method, _, key = path.partition("@")[0].partition(":")
            some = tuple(found[:_MOST_LEARNT])
            candidate = FieldCandidate(key, some, method, prior, path, many=True)
            scored.setdefault(pointer, []).append(ScoredCandidate(prior, candidate))
        return scored

    def _called(self, text: str) -> set[str]:
        """The pointers of the fields that are called as a text is."""
        alike = self._names.alike(text, "name") if len(text) <= _LONGEST_HEADING else ()
        return {field.pointer for field, likeness in alike if likeness >= _CALLED}


def _is_labelled(scored: ScoredCandidate) -> bool:
    """True for what a label names as the field is called."""
    return scored.candidate.method in LABELLED and scored.score >= NAMED_FROM


def _is_settled(field: Field, fields: Fields) -> bool:
    best = fields.get(field.pointer, ())[:1]
    return bool(field.items) or any(
        each.confidence >= _SETTLED_FROM and each.method in _SETTLING for each in best
    )


def _merge(
    into: dict[str, list[ScoredCandidate]], more: Mapping[str, list[ScoredCandidate]]
) -> None:
    for pointer, scored in more.items():
        into.setdefault(pointer, []).extend(scored)
