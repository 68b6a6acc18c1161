"""From readings to records: what is sure enough is a value, with the passage it was read from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Protocol

from app.engine.extraction.methods.name_match import names_of
from app.engine.extraction.records.likelihood import Learnt, says_more, stands_as_shown
from app.engine.extraction.records.readings import (
    Entity,
    FieldReading,
    Readings,
    citation_from_json,
    place_from_json,
)
from app.engine.extraction.rows.column_fit import RecordFields
from app.engine.extraction.rows.pairs import pair_of
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.validation import SchemaViolation, unsatisfied
from app.engine.extraction.text import forms
from app.engine.extraction.values.calibration import CANDIDATE_FROM, VALUE_FROM, unsure

_MOST_ALTERNATIVES = 5
_MOST_QUOTED = 100_000  # values of a record: lists of objects multiply them


@dataclass(frozen=True, slots=True)
class Provenance(forms.JsonForm):
    """The place where the value at `pointer` was read: `quote` is `text[start:end]` of the page's
    one text, and `transform` makes the value of it.
    """

    pointer: str
    kind: str
    quote: str
    start: int
    end: int
    prefix: str
    suffix: str
    selector: str
    json_pointer: str | None
    method: str
    transform: str
    match: str
    confidence: float

    @classmethod
    def from_json(cls, form: object) -> "Provenance":
        pointer, match = forms.text(form, "pointer"), forms.text(form, "match")
        return cls(pointer=pointer, match=match, **citation_from_json(form))


_AS_READ = [name for name in Provenance.__slots__ if name not in ("pointer", "match")]


@dataclass(frozen=True, slots=True)
class Alternative(forms.JsonForm):
    """A value that is not sure enough to be returned as one."""

    value: Any
    confidence: float
    quote: str
    start: int
    end: int

    @classmethod
    def from_json(cls, form: object) -> "Alternative":
        value = forms.json_value(forms.member(form, "value"))
        return cls(value, forms.share(form, "confidence"), *place_from_json(form))


@dataclass(frozen=True, slots=True)
class Record(forms.JsonForm):
    """`data` conforms to the schema but for what `unsatisfied` names; each value in it has a
    provenance. `candidates` holds by pointer what was not sure enough."""

    data: dict[str, Any]
    unsatisfied: tuple[SchemaViolation, ...]
    provenance: tuple[Provenance, ...]
    candidates: Mapping[str, tuple[Alternative, ...]]
    confidence: float

    @property
    def unsure(self) -> list[str]:
        """The pointers of its values that are probable and no more."""
        return unsure([each.as_json() for each in self.provenance], self.data)

    @classmethod
    def from_json(cls, form: object) -> "Record":
        """Raises Malformed."""

        def alternatives(items: Any) -> tuple[Alternative, ...]:
            return forms.listed({"": items}, "", Alternative.from_json)

        data = forms.json_value(forms.member(form, "data"))
        if not isinstance(data, dict):
            raise forms.Malformed("data")
        return cls(
            data,
            forms.listed(form, "unsatisfied", SchemaViolation.from_json),
            forms.listed(form, "provenance", Provenance.from_json, _MOST_QUOTED),
            forms.mapped(form, "candidates", alternatives, _MOST_QUOTED),
            forms.share(form, "confidence"),
        )


class SiteEvidence(Learnt, Protocol):
    """The evidence of other pages of a site about the readings of one."""

    def weighed(self, pointer: str, readings: Sequence[FieldReading]) -> Sequence[FieldReading]:
        """The readings of a field, best first, each as sure as it is on this site."""
        ...

    def of_rows(self) -> "SiteEvidence":
        """Returns the evidence about each of several records on a page."""
        ...


def assemble(
    plan: Plan, readings: Readings, template: SiteEvidence | None = None
) -> tuple[Record, ...]:
    """The records of a page, in its order; entities of which nothing is known are none.

    On a page about one thing a record may have nothing but candidates; one of several, or a term,
    must have two values, or say what it is called.
    """
    several = len(readings.entities) > 1
    if several and template is not None:
        template = template.of_rows()
    elif template is not None and not _says_more_there(plan, readings, template):
        return ()
    records = [_record(plan, entity, template) for entity in readings.entities]
    wanted = RecordFields.by(plan)
    term, _ = pair_of(wanted.fields)
    if not several and (term is None or "#name" in term.words):  # any page has a name
        return tuple(record for record in records if record)
    return tuple(record for record in records if record and _is_one(record, wanted.chief))


def _is_one(record: Record, chief: str | None) -> bool:
    """True if a record has more than one value, or says what it is called, which is `chief`."""
    if chief is None:
        return bool(record.data)
    return len(record.data) > 1 or any(each.pointer == chief for each in record.provenance)


def _says_more_there(plan: Plan, readings: Readings, template: SiteEvidence) -> bool:
    """True if a page still answers some of a record when its site is known."""
    names = names_of(plan)
    for whole in readings.entities:
        weighed = {p: tuple(template.weighed(p, found)) for p, found in whole.fields.items()}
        if not (
            says_more(names, replace(whole, fields=weighed)) or stands_as_shown(whole, template)
        ):
            return False
    return True


def _record(plan: Plan, entity: Entity, template: SiteEvidence | None) -> Record | None:
    making = _Making(template)
    data = making.object(plan.fields, entity, "")
    if not making.provenance and not making.candidates:
        return None
    confidence = fmean([each.confidence for each in making.provenance] or [0.0])
    return Record(
        data,
        tuple(unsatisfied(plan, data)),
        tuple(making.provenance),
        making.candidates,
        round(confidence, 3),
    )


class _Making:
    """A record in the making."""

    def __init__(self, template: SiteEvidence | None) -> None:
        self._template = template
        self.provenance: list[Provenance] = []
        self.candidates: dict[str, tuple[Alternative, ...]] = {}

    def object(self, fields: Sequence[Field], entity: Entity, above: str) -> dict[str, Any]:
        """The object at `above`, with what was read for its fields."""
        data: dict[str, Any] = {}
        for each in fields:
            value = self._value(each, entity, above)
            if value is not None:
                data[each.name] = value
        return data

    def _value(self, field: Field, entity: Entity, above: str) -> Any:
        if field.items and field.type == "object":
            return self.object(field.items.fields, entity, above) or None
        if field.items:
            return self._objects(field, field.items, entity, above) or None
        readings: Sequence[FieldReading] = entity.fields.get(field.pointer, ())
        if self._template is not None:
            readings = self._template.weighed(field.pointer, readings)
        if not readings:
            return None
        pointer = above + field.pointer
        best = readings[0]
        if best.confidence < VALUE_FROM or best.ambiguous:
            self._leave(pointer, readings)
            return None
        return self._accept(pointer, best)

    def _objects(
        self, field: Field, items: Plan, entity: Entity, above: str
    ) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = []
        for below in entity.objects.get(field.pointer, ()):
            data = self.object(items.fields, below, f"{above}{field.pointer}/{len(kept)}")
            if data:
                kept.append(data)
        return kept

    def _leave(self, pointer: str, readings: Sequence[FieldReading]) -> None:
        alternatives = tuple(
            Alternative(r.value, r.confidence, r.quote, r.start, r.end)
            for r in readings[:_MOST_ALTERNATIVES]
            if r.confidence >= CANDIDATE_FROM
        )
        if alternatives:
            self.candidates[pointer] = alternatives

    def _accept(self, pointer: str, best: FieldReading) -> Any:
        if not best.items:
            self._cite(pointer, best)
            return best.value
        for number, item in enumerate(best.items):
            self._cite(f"{pointer}/{number}", item)
        return [item.value for item in best.items]

    def _cite(self, pointer: str, reading: FieldReading) -> None:
        read = {name: getattr(reading, name) for name in _AS_READ}
        self.provenance.append(Provenance(pointer=pointer, match="exact", **read))
