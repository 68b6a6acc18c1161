"""The readings for the fields of each entity of a page, best first: all that records are made of.

Readings are kept without their page, so that records can be made again when more is known.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from app.engine.extraction.schema.schema import Field
from app.engine.extraction.text import forms
from app.engine.extraction.values import calibration

MOST_READINGS = 10  # of one field of one entity
MOST_ITEMS = 1_000  # of one list
MOST_RECORDS = 10_000
_CONTEXT_CHARACTERS = 32
_AGREEMENT = 0.1
_MOST_AGREEING = 3
_AS_GOOD = 0.9
AMBIGUOUS = 0.6  # of the confidence, for a value that several readings fit
_MOST_FIELDS = 200
_METHODS = frozenset(
    {"json_ld", "microdata", "rdfa", "opengraph", "table", "labels", "repeated", "text", "llm"}
)


@dataclass(frozen=True, slots=True)
class FieldReading(forms.JsonForm):
    """A value, how probably it is right, and the quote it was read from: `text[start:end]` of the
    one text.

    `path` is the place of the value in pages of the same making: what it is called and the tags
    and classes above it, without numbers. The reading of a list has `items`, and their quotes.
    `evidence` is what its confidence was computed of; it is not kept.
    """

    value: Any
    confidence: float
    method: str
    path: str
    transform: str = "none"
    kind: str = "visible"
    quote: str = ""
    start: int = 0
    end: int = 0
    prefix: str = ""
    suffix: str = ""
    selector: str = ""
    json_pointer: str | None = None
    ambiguous: bool = False
    precision: str | None = None
    items: tuple["FieldReading", ...] = ()
    evidence: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        if self.items:
            return {
                "confidence": self.confidence,
                "method": self.method,
                "path": self.path,
                "ambiguous": self.ambiguous,
                "items": [item.as_json() for item in self.items],
            }
        kept = (name for name in self.__slots__ if name not in ("items", "evidence"))
        return {name: getattr(self, name) for name in kept}

    @classmethod
    def from_json(cls, form: object, in_list: bool = False) -> "FieldReading":
        method = forms.text(form, "method")
        if method not in _METHODS or not isinstance(form, dict):
            raise forms.Malformed("method")
        confidence = forms.share(form, "confidence")
        path = forms.text(form, "path", forms.LONGEST_PATH)
        if not in_list and "items" in form:
            items = forms.listed(form, "items", lambda item: cls.from_json(item, True), MOST_ITEMS)
            values, doubt = [item.value for item in items], forms.flag(form, "ambiguous")
            return cls(values, confidence, method, path, ambiguous=doubt, items=items)
        return cls(
            value=forms.json_value(forms.member(form, "value")),
            path=path,
            ambiguous=forms.flag(form, "ambiguous"),
            precision=forms.optional_text(form, "precision"),
            **citation_from_json(form),
        )


@dataclass(frozen=True, slots=True)
class RankedReading:
    """A reading whose confidence is its score, the methods that read its value, and its rank: the
    score and more for each other source."""

    reading: FieldReading
    value: str
    methods: Set[str]
    rank: float


def ranked(readings: list[FieldReading]) -> list[RankedReading]:
    """The readings, higher by each other method or path that read the same value; best first."""
    values: dict[str, set[str]] = {}
    methods: dict[str, set[str]] = {}
    for reading in readings:
        value = folded(reading.value)
        values.setdefault(value, set()).add(_source(reading))
        methods.setdefault(value, set()).add(calibration.method_of(reading.method, reading.path))
    found = []
    for reading in readings:
        value = folded(reading.value)
        others = min(_MOST_AGREEING, len(values[value]) - 1)
        rank = min(1.0, reading.confidence + _AGREEMENT * others)
        found.append(RankedReading(reading, value, methods[value], rank))
    return sorted(found, key=lambda each: -each.rank)


def evidence(field: Field, ranked: Sequence[RankedReading]) -> Iterator[Mapping[str, float]]:
    """The features of each reading of a field."""
    best: dict[str, float] = {}
    for each in ranked:
        best.setdefault(each.value, each.rank)
    for each in ranked:
        rival = max((rank for value, rank in best.items() if value != each.value), default=0.0)
        yield calibration.evidence(
            field,
            calibration.method_of(each.reading.method, each.reading.path),
            each.reading.confidence,
            each.methods,
            max(0.0, 1.0 - each.rank + rival) if rival else 0.0,
            single=len(each.reading.items) == 1,
            in_row="|" in each.reading.path,
            tied=any(_is_tied(each, other) for other in ranked),
        )


def _is_tied(one: RankedReading, other: RankedReading) -> bool:
    """True if another value stands where its label, class or form names it just as well, or a
    label says another than the page states."""
    if one.value == other.value:
        return False
    if one.reading.method in calibration.STATED:
        least = calibration.NAMED_FROM * (AMBIGUOUS if other.reading.ambiguous else 1.0)
        is_named = other.reading.method in calibration.LABELLED
        return is_named and other.reading.confidence >= least and not _is_other_order(one, other)
    is_as_good = other.reading.confidence >= _AS_GOOD * one.reading.confidence
    return one.reading.path == other.reading.path and is_as_good


def _is_other_order(one: RankedReading, other: RankedReading) -> bool:
    """True if a value of several readings has another with the digits of `one`: 04/05/2024."""
    return other.reading.ambiguous and sorted(one.value) == sorted(other.value)


def _source(reading: FieldReading) -> str:
    """Returns the source of a value: the head of a page says everything twice."""
    return reading.method if reading.method == "opengraph" else reading.path.partition("@")[0]


def probable(
    readings: Sequence[FieldReading], evidence: Sequence[Mapping[str, float] | None]
) -> tuple[FieldReading, ...]:
    """Readings of a field, best first, each as probable as its evidence says, or as it was if there
    is none: other values than the best share what it leaves."""
    found: list[FieldReading] = []
    for reading, features in zip(readings, evidence, strict=True):
        sure = reading.confidence if features is None else calibration.confidence(features)
        if found and not _says_the_same(reading, found[0]):
            sure = min(sure, round(1.0 - found[0].confidence, 3))
        items = tuple(replace(item, confidence=sure) for item in reading.items)
        found.append(replace(reading, confidence=sure, items=items, evidence=features or {}))
    return tuple(found)


def folded(value: Any) -> str:
    """The value without white space and case: what is the same for two readings of it."""
    return "".join(str(value).casefold().split())


def _says_the_same(one: FieldReading, other: FieldReading) -> bool:
    return folded(one.value) == folded(other.value)


def place_from_json(form: object) -> tuple[str, int, int]:
    """A quote with its offsets, which have to fit it."""
    quote = forms.text(form, "quote", forms.LONGEST_QUOTE)
    start = forms.whole(form, "start", 0, 1 << 31)
    end = forms.whole(form, "end", start, 1 << 31)
    if len(quote) != end - start:
        raise forms.Malformed("quote")
    return quote, start, end


def cited(text: str, start: int, end: int) -> dict[str, Any]:
    """A slice of a text as a quote, with its place and what stands beside it."""
    return {
        "quote": text[start:end],
        "start": start,
        "end": end,
        "prefix": text[max(0, start - _CONTEXT_CHARACTERS) : start],
        "suffix": text[end : end + _CONTEXT_CHARACTERS],
    }


def citation_from_json(form: object) -> dict[str, Any]:
    """A quote with its place, and the way in which it was read."""
    quote, start, end = place_from_json(form)
    return {
        "confidence": forms.share(form, "confidence"),
        "method": forms.text(form, "method"),
        "transform": forms.text(form, "transform"),
        "kind": forms.text(form, "kind"),
        "quote": quote,
        "start": start,
        "end": end,
        "prefix": forms.text(form, "prefix"),
        "suffix": forms.text(form, "suffix"),
        "selector": forms.text(form, "selector", forms.LONGEST_QUOTE),
        "json_pointer": forms.optional_text(form, "json_pointer", forms.LONGEST_QUOTE),
    }


@dataclass(frozen=True, slots=True)
class Entity(forms.JsonForm):
    """A thing that may be one record: by pointer the readings of its fields, and the objects in its
    lists of objects. `place` is the start of its first quote.
    """

    score: float
    place: int
    fields: Mapping[str, tuple[FieldReading, ...]]
    objects: Mapping[str, tuple["Entity", ...]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, form: object, depth: int = 0) -> "Entity":
        if depth > 5:
            raise forms.Malformed("objects")

        def readings(found: Any) -> tuple[FieldReading, ...]:
            return forms.listed({"": found}, "", FieldReading.from_json, MOST_READINGS)

        def entities(found: Any) -> tuple[Entity, ...]:
            return forms.listed(
                {"": found}, "", lambda item: cls.from_json(item, depth + 1), MOST_ITEMS
            )

        return cls(
            score=float(forms.share(form, "score")),
            place=forms.whole(form, "place", 0, 1 << 31),
            fields=forms.mapped(form, "fields", readings, _MOST_FIELDS),
            objects=forms.mapped(form, "objects", entities, _MOST_FIELDS),
        )


@dataclass(frozen=True, slots=True)
class Readings(forms.JsonForm):
    """The entities of a page in its order; `evidence` are the features by which its rows, if it has
    some, were judged to be records or not: it is not kept."""

    entities: tuple[Entity, ...] = ()
    evidence: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"entities": [entity.as_json() for entity in self.entities]}

    @classmethod
    def from_json(cls, form: object) -> "Readings":
        """Raises Malformed."""
        return cls(forms.listed(form, "entities", Entity.from_json, MOST_RECORDS))
