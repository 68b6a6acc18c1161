"""The comparison of a record with another reading of the same page. It knows no more than the page
does: two readings may share an error.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from app.engine.extraction.records.reading_page import Family
from app.engine.extraction.records.readings import Entity, FieldReading
from app.engine.extraction.schema import vocabulary
from app.engine.extraction.schema.formats import ADDRESSES
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.values.compare import value_at
from app.engine.extraction.values.measure import differ
from app.engine.judging import kept_page
from app.engine.judging.checks import CheckOutcome, Verdict
from app.engine.judging.singles import alike, compared, letters, stands_in, words_of

DOUBTED_FROM, NUMBER_DOUBTED_FROM = 0.55, 0.6
"""How sure a second reading has to be of another value to contradict one."""
AMONG_FIRST = 5
"""Of what a second reading has for a field, best first, so many may agree."""
_LIST_NEARLY = 0.8  # of the items of a list
_MOST_ITEMS, _MOST_OTHERS = 100, 200  # that are compared with each other
_LABEL_CHARACTERS = 40
_PROSE_WORDS = 12
# As sure as what a page states in structured data: a value that is also read, but so much less
# surely, does not agree.
_STATED_FROM, _SURER = 0.85, 0.3
_HEADING = re.compile(r"text:title@h\d")
_AROUND_STEPS = re.compile(r"[/?&=#]|\.\w+$")


@dataclass(frozen=True, slots=True)
class Reread:
    """A page read again: its entities by family of methods, its title and address."""

    entities: Mapping[Family, Sequence[Entity]]
    title: str | None = None
    url: str = ""

    def names(self, value: Any) -> bool:
        """True if a value stands in the title of the page or in its address."""
        places = (self.title or "", _AROUND_STEPS.sub(" ", unquote(self.url)))
        return isinstance(value, str) and any(stands_in(value, place) for place in places)


def reread(plan: Plan, record: dict[str, Any], text: str, read: Reread) -> CheckOutcome:
    """Checks a record against other readings of the page.

    Of a value that names the `method` of ours that it was read by only the other family is another
    opinion. A field is agreed when one of them has its value, or where it is quoted its name stands
    before it; contradicted when none has it and one is sure of another, but not by a heading where
    the value stands in the title or the address. A name of which neither has anything, on a page
    about one thing, is contradicted as well.
    """
    data = record["data"]
    quoted = {each["pointer"]: each for each in record["provenance"]}
    counterparts = {
        family: entity
        for family, each in read.entities.items()
        if (entity := _counterpart(plan, data, each))
    }
    verdicts: dict[str, Verdict] = {}
    for each in compared(plan, data):
        quotes = _quotes_of(each, record["provenance"])
        opinions = kept_page.families(quotes)
        others = [counterparts[family] for family in opinions if family in counterparts]
        verdict = _field_verdict(
            each, value_at(data, each.pointer), [x["quote"] for x in quotes], others, read
        )
        given = quoted.get(each.pointer)
        if verdict == "contradicted" and given and _is_labelled(each, text, given["start"]):
            verdict = "agreed"
        verdicts[each.pointer] = verdict
    if not any(len(each) > 1 for each in read.entities.values()):
        verdicts |= dict.fromkeys(_not_in_title(plan, data, read), "contradicted")
    contradicted = tuple(each for each, verdict in verdicts.items() if verdict == "contradicted")
    if contradicted:
        return CheckOutcome("contradicted", contradicted)
    return CheckOutcome("agreed" if _is_agreed(plan, verdicts) else "silent")


def _is_agreed(plan: Plan, verdicts: Mapping[str, Verdict]) -> bool:
    """True if at least half of the required values are agreed; where none is required, any."""
    required = {each.pointer for each in plan.every() if each.required and not each.items}
    agreed = {pointer for pointer, verdict in verdicts.items() if verdict == "agreed"}
    if not required & verdicts.keys():
        return bool(agreed) and not required
    return 2 * len(required & agreed) >= len(required & verdicts.keys())


def _quotes_of(field: Field, provenance: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    below = f"{field.pointer}/"
    return [x for x in provenance if f"{x['pointer']}/".startswith(below)]


def _is_labelled(field: Field, text: str, start: int) -> bool:
    """True if nothing but the field's name stands before its value, on its line or the one above:
    the old price is another one.
    """
    before = text[max(0, start - _LABEL_CHARACTERS) : start].rsplit("\n", 2)
    label = vocabulary.words(before[-1]) or vocabulary.words(" ".join(before[-2:]))
    return bool(label) and label <= field.words


def _not_in_title(plan: Plan, data: dict[str, Any], read: Reread) -> Iterator[str]:
    """The names of the record of which the title of the page has nothing, nor its address."""
    written = letters(read.title or "")
    for each in _names(plan):
        value = data.get(each.name)
        if written and isinstance(value, str) and not read.names(value):
            words = words_of(value)
            if words and not any(word in written for word in words):
                yield each.pointer


def _names(plan: Plan) -> Sequence[Field]:
    """The required fields called name or title, else the first required text."""
    texts = [
        each
        for each in plan.fields
        if each.required and each.type == "string" and not each.format and not each.enum
    ]
    return [each for each in texts if not vocabulary.words("name").isdisjoint(each.words)] or texts[
        :1
    ]


def _counterpart(plan: Plan, data: dict[str, Any], entities: Sequence[Entity]) -> Entity | None:
    """The entity that is the record: the only one, or the one that shares the most with it."""
    if len(entities) <= 1:
        return entities[0] if entities else None
    shared = [
        sum(_has(each, value_at(data, each.pointer), entity) for each in compared(plan, data))
        for entity in entities
    ]
    best = max(shared)
    return entities[shared.index(best)] if best and shared.count(best) == 1 else None


def _field_verdict(
    field: Field, value: Any, quotes: Sequence[str], entities: Sequence[Entity], read: Reread
) -> Verdict:
    if field.item is not None:
        return _list_verdict(field.item, value, entities, field.pointer)
    readings = [entity.fields.get(field.pointer, ())[:AMONG_FIRST] for entity in entities]
    agreeing = max((_confidence(field, value, quotes, each) for each in readings), default=0.0)
    others = [each[0] for each in readings if _is_sure(field, each)]
    sure = max((each.confidence for each in others), default=0.0)
    if agreeing and (sure < _STATED_FROM or sure - agreeing < _SURER):
        return "agreed"
    if not sure or field.format in ADDRESSES:  # the same picture has many addresses
        return "silent"
    if _is_prose(value):  # which of a page's sentences sum it up is a matter of opinion
        return "silent"
    if all(_HEADING.match(each.path) for each in others) and read.names(value):
        return "silent"
    return "contradicted"


def _is_prose(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) >= _PROSE_WORDS


def _confidence(
    field: Field, value: Any, quotes: Sequence[str], readings: Sequence[FieldReading]
) -> float:
    """Returns how sure the readings are of this value; 0 if none of them has it."""
    return max(
        (
            each.confidence
            for each in readings
            if alike(field, value, each.value) and not differ(quotes, [each.quote], field)
        ),
        default=0.0,
    )


def _is_sure(field: Field, readings: Sequence[FieldReading]) -> bool:
    """True if one value stands out: two that are as likely contradict each other, and nobody."""
    if not readings or readings[0].ambiguous:
        return False
    best = readings[0]
    rivals = (each for each in readings[1:AMONG_FIRST] if each.confidence >= best.confidence)
    if any(not alike(field, best.value, each.value) for each in rivals):
        return False
    return best.confidence >= (DOUBTED_FROM if field.type == "string" else NUMBER_DOUBTED_FROM)


def _list_verdict(item: Field, value: Any, entities: Sequence[Entity], pointer: str) -> Verdict:
    """Contradicted by a list that has nearly all of its items, and not the others; where a list
    ends, and how it is cut, is a matter of opinion."""
    shares = [
        _share(item, value[:_MOST_ITEMS], reading.value[:_MOST_OTHERS])
        for entity in entities
        for reading in entity.fields.get(pointer, ())[:AMONG_FIRST]
        if isinstance(reading.value, list) and isinstance(value, list) and value
    ]
    best = max(shares, default=0.0)
    if best == 1.0:
        return "agreed"
    return "contradicted" if best >= _LIST_NEARLY else "silent"


def _share(item: Field, ours: Sequence[Any], theirs: Sequence[Any]) -> float:
    """The share of our items that others have; 0 as soon as it cannot be nearly all."""
    held = len(ours)
    for x in ours:
        held -= not any(alike(item, x, y) for y in theirs)
        if held < _LIST_NEARLY * len(ours):
            return 0.0
    return held / len(ours)


def _has(field: Field, value: Any, entity: Entity) -> bool:
    readings = entity.fields.get(field.pointer, ())
    return any(alike(field, value, each.value) for each in readings[:AMONG_FIRST])
