"""Extract a record a second time by the other family of methods, and compare.

What came from structured data is read again from the text of the page alone, and the reverse;
pages of the same site and examples have no say. Only parsing, typing and the names of fields are
shared. A second extraction that finds nothing, or nothing it is sure of, says nothing.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from unicodedata import normalize

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.reading_page import Family
from app.engine.extraction.records.readings import Entity, FieldReading
from app.engine.extraction.records.records import Provenance, Record, assemble
from app.engine.extraction.schema.identity import identifying
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.text import forms
from app.engine.extraction.text.slices import letters
from app.engine.extraction.values.calibration import STATED, VALUE_FROM
from app.engine.extraction.values.compare import identity, same, value_at
from app.engine.extraction.values.measure import differ

FieldVerdict = Literal["agreed", "differs", "not_comparable"]
RecordVerdict = Literal["passed", "failed", "not_comparable"]
AMONG_FIRST = 5
_FIELD_VERDICTS = frozenset({"agreed", "differs", "not_comparable"})
_RECORD_VERDICTS = frozenset({"passed", "failed", "not_comparable"})
_MOST_ITEMS = 100
_AS_SURE = 0.2  # a reading that is less sure than the first by more says nothing against it
_SHORT_PART, _LONG_PART, _MOST_OF_TEXT = 4, 40, 0.4
_LEAD = "text:description@"
_LIST_ALIKE = 0.8  # of a list, the share of items that must be in both


@dataclass(frozen=True, slots=True)
class FieldComparison(forms.JsonForm):
    """One field: what the first extraction says, what the second, and whether they agree."""

    pointer: str
    verdict: FieldVerdict
    first: Any
    second: Any = None
    first_provenance: Provenance | None = None
    second_provenance: Provenance | None = None

    @classmethod
    def from_json(cls, form: object) -> "FieldComparison":
        def provenance(name: str) -> Provenance | None:
            stated = forms.member(form, name)
            return None if stated is None else Provenance.from_json(stated)

        verdict = forms.text(form, "verdict")
        if verdict not in _FIELD_VERDICTS:
            raise forms.Malformed("verdict")
        return cls(
            forms.text(form, "pointer"),
            verdict,  # type: ignore[arg-type] # it is one of them
            forms.json_value(forms.member(form, "first")),
            forms.json_value(forms.member(form, "second")),
            provenance("first_provenance"),
            provenance("second_provenance"),
        )


@dataclass(frozen=True, slots=True)
class Verdict(forms.JsonForm):
    """Of a record, by the fields that decide: those that are required or identify it. Passed if one
    of them agrees and none differs, failed if one differs, else not comparable. Where no field
    decides, half of those compared must agree."""

    record: RecordVerdict
    fields: tuple[FieldComparison, ...] = field(default_factory=tuple)

    @classmethod
    def from_json(cls, form: object) -> "Verdict":
        """Raises Malformed."""
        record = forms.text(form, "record")
        if record not in _RECORD_VERDICTS:
            raise forms.Malformed("record")
        fields = forms.listed(form, "fields", FieldComparison.from_json)
        return cls(record, fields)  # type: ignore[arg-type] # it is one of them


def second(markup: str, url: str, plan: Plan, first: Record) -> Verdict:
    """Compares `first` with what the other family of methods says. Raises PageUnreadable."""
    others = {family: _Other(markup, url, plan, family) for family in _families(plan, first)}
    compared = tuple(
        others[_other_family(first, each.pointer)].compared(each, first)
        for each in _judged(plan, first)
    )
    return Verdict(of_record(plan, compared), compared)


def _judged(plan: Plan, first: Record) -> Iterator[Field]:
    """The fields that the record has a value for; of an object its fields."""
    for each in plan.every():
        is_whole = not (each.items and each.type == "object")
        if is_whole and value_at(first.data, each.pointer) not in (None, "", []):
            yield each


def _families(plan: Plan, first: Record) -> set[Family]:
    return {_other_family(first, each.pointer) for each in _judged(plan, first)}


def _other_family(first: Record, pointer: str) -> Family:
    provenance = _provenance(first, pointer)
    return "visible" if provenance and provenance.method in STATED else "structured"


def _provenance(record: Record, pointer: str) -> Provenance | None:
    """The provenance of a value, of a list that of its first item."""
    within = (p for p in record.provenance if p.pointer == pointer)
    below = (p for p in record.provenance if p.pointer.startswith(f"{pointer}/"))
    return next(within, None) or next(below, None)


class _Other:
    """The page read by one family of methods, from a tree of its own."""

    def __init__(self, markup: str, url: str, plan: Plan, family: Family) -> None:
        page = extract(markup, url, plan, family=family)
        self._plan = plan
        self._entities: Sequence[Entity] = page.readings.entities
        self._records = [assemble(plan, type(page.readings)((e,))) for e in self._entities]

    def compared(self, wanted: Field, first: Record) -> FieldComparison:
        value = value_at(first.data, wanted.pointer)
        mine = _provenance(first, wanted.pointer)
        at = self._counterpart(first)
        read = [] if at is None else self._values(wanted, at)
        if at is None or not read:
            return FieldComparison(wanted.pointer, "not_comparable", value, None, mine)
        quotes = [mine.quote] if mine else []
        agreeing = next(
            (
                x
                for x, _, quote in read
                if _alike(wanted, value, x) and not differ(quotes, [quote], wanted)
            ),
            None,
        )
        doubt = max(VALUE_FROM, mine.confidence - _AS_SURE) if mine else VALUE_FROM
        if agreeing is None and read[0][1] < doubt:
            return FieldComparison(wanted.pointer, "not_comparable", value, None, mine)
        verdict: FieldVerdict = "differs" if agreeing is None else "agreed"
        theirs = _provenance(self._records[at][0], wanted.pointer) if self._records[at] else None
        shown = read[0][0] if agreeing is None else agreeing
        return FieldComparison(wanted.pointer, verdict, value, shown, mine, theirs)

    def _values(self, wanted: Field, at: int) -> list[tuple[Any, float, str]]:
        """The values that the entity has for a field, how surely, and by which quote."""
        if wanted.items:
            records = self._records[at]
            value = value_at(records[0].data, wanted.pointer) if records else None
            return [(value, VALUE_FROM, "")] if value else []
        readings = self._entities[at].fields.get(wanted.pointer, ())
        return [(each.value, _weight(each), each.quote) for each in readings[:AMONG_FIRST]]

    def _counterpart(self, first: Record) -> int | None:
        """Finds the entity that is the same record: the only one, or one of the same name."""
        if len(self._entities) == 1:
            return 0
        for at, records in enumerate(self._records):
            if records and _called_the_same(self._plan, first.data, records[0].data):
                return at
        return None


def _weight(reading: FieldReading) -> float:
    """Rates how sure a reading is: a text that leads in is on most pages, and contradicts none."""
    return 0.0 if reading.path.startswith(_LEAD) else reading.confidence


def _called_the_same(plan: Plan, a: dict[str, Any], b: dict[str, Any]) -> bool:
    name = identity(plan, a)
    if name is not None and name == identity(plan, b):
        return True
    texts = (each for each in plan.fields if each.type == "string" and not each.format)
    named = [each for each in texts if each.required or "#name" in each.words]
    return any(a.get(each.name) and same(each, a[each.name], b.get(each.name)) for each in named)


def _alike(wanted: Field, a: Any, b: Any) -> bool:
    """True if two families mean the same: how they write it does not matter, and of two texts one
    may contain the other or be cut short."""
    if wanted.item and isinstance(a, list) and isinstance(b, list):
        item, ours, theirs = wanted.item, a[:_MOST_ITEMS], b[:_MOST_ITEMS]
        shared = sum(any(_alike(item, x, y) for y in theirs) for x in ours)
        return shared >= _LIST_ALIKE * max(len(ours), len(theirs))
    if isinstance(a, str) and isinstance(b, str) and not wanted.format:
        one, other = sorted((letters(normalize("NFKC", x)) for x in (a, b)), key=len)
        is_code = wanted.pattern or wanted.enum
        return one == other or (not is_code and _is_most(one, other) and one in other)
    return same(wanted, a, b)


def _is_most(part: str, whole: str) -> bool:
    return len(part) >= min(_LONG_PART, max(_SHORT_PART, _MOST_OF_TEXT * len(whole)))


def of_record(plan: Plan, compared: Sequence[FieldComparison]) -> RecordVerdict:
    """The verdict on a record of this plan by those on its fields."""
    deciding = {each.pointer for each in plan.every() if each.required and not each.items}
    deciding |= {each.pointer for each in identifying(plan.fields)}
    verdicts = Counter(
        each.verdict for each in compared if each.pointer in deciding or not deciding
    )
    agreed, differ = verdicts["agreed"], verdicts["differs"]
    if not (agreed or differ):
        return "not_comparable"
    return "passed" if agreed >= differ and not (deciding and differ) else "failed"
