"""The judgement of a record: are its quotes there, do its values follow, does it fit?"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from citegrid.node.reading.conformance import problem
from citegrid.node.reading.fields import Field, called, value_at
from citegrid.node.reading.page import ExtractionTask, Unusable, task_of
from citegrid.node.reading.quotes import MOST_PROVENANCE, locate, stands, supported
from citegrid.node.reading.relevance import share
from citegrid.node.reading.rules import RuleRecord, RuleValue, is_address, records
from citegrid.node.reading.typed import plain, same

MOST_COMPARED: Final = 200
_SURE: Final = 0.8  # how sure a second extraction must be to contradict
_LONGEST_REASON: Final = 1_000
_MOST_EVIDENCE: Final = 100


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a record is rejected; the reason names fields and no more of the text than a quote."""

    category: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class SubmittedRecord:
    task: ExtractionTask
    data: Mapping[str, Any]
    provenance: list[Mapping[str, Any]]
    cited: bool

    @property
    def text(self) -> str:
        return self.task.page.text

    def stated(self) -> Iterator[tuple[Field, Any]]:
        for field in self.task.fields:
            value = value_at(self.data, field.path)
            if value is not None:
                yield field, value

    def quotes(self, field: Field) -> list[Mapping[str, Any]]:
        below = f"{field.pointer}/"
        return [
            each
            for each in self.provenance
            if each.get("pointer") == field.pointer or str(each.get("pointer")).startswith(below)
        ]

    def own_address(self, field: Field, value: Any) -> bool:
        """The page's own address needs no quote: it is where the text was fetched."""
        return is_address(field) and value == self.task.page.url


def candidate_of(given: Mapping[str, Any]) -> SubmittedRecord:
    """Raises Unusable."""
    record = given.get("record")
    if not isinstance(record, Mapping) or not isinstance(record.get("data"), Mapping):
        raise Unusable("there is no record")
    provenance = record.get("provenance")
    items = provenance[:MOST_PROVENANCE] if isinstance(provenance, list) else []
    return SubmittedRecord(
        task=task_of({**given, "most_records": MOST_COMPARED}),
        data=record["data"],
        provenance=[each for each in items if isinstance(each, Mapping)],
        cited=given.get("require_citations") is not False,
    )


def judged(candidate: SubmittedRecord, others: list[RuleRecord] | None = None) -> dict[str, Any]:
    """The output of a validation. `others`: records read a second time, in another way."""
    objection = next(_objections(candidate, others), None)
    if objection is None:
        return {"verdict": "accept", "evidence": _evidence(candidate)}
    return {
        "verdict": "reject",
        "category": objection.category,
        "reason": objection.reason[:_LONGEST_REASON],
        "evidence": [],
    }


def _objections(candidate: SubmittedRecord, others: list[RuleRecord] | None) -> Iterator[Objection]:
    yield from _form(candidate)
    yield from _citations(candidate)
    yield from _contradictions(candidate, records(candidate.task))
    yield from _contradictions(candidate, others or [])
    yield from _subject(candidate)


def _form(candidate: SubmittedRecord) -> Iterator[Objection]:
    if not candidate.data:
        yield Objection("broken", "The record is empty: it has none of the fields of the schema.")
    broken = problem(candidate.data, candidate.task.schema)
    if broken:
        yield Objection("broken", f"The record does not keep its schema: {broken}.")


def _citations(candidate: SubmittedRecord) -> Iterator[Objection]:
    """Each value needs a quote that stands in the text and states it."""
    for field, value in candidate.stated():
        quotes = candidate.quotes(field)
        if not quotes:
            if _needs_quote(candidate, field, value):
                yield Objection("not_found", f"The value of {field.pointer} has no quote.")
        elif not any(stands(candidate.text, q.get("quote"), q.get("start")) for q in quotes):
            yield Objection(
                "not_found", f"The quote of {field.pointer} does not stand in the page's text."
            )
        elif not supported(candidate.text, value, field, quotes):
            yield Objection(
                "wrong_value", f"The value of {field.pointer} does not follow from its quote."
            )


def _needs_quote(candidate: SubmittedRecord, field: Field, value: Any) -> bool:
    """True if a value may not stand without one: what is required must be on the page anyway."""
    if field.required:
        return candidate.cited or locate(candidate.text, value, field) is None
    return candidate.cited and not candidate.own_address(field, value)


def _contradictions(candidate: SubmittedRecord, others: list[RuleRecord]) -> Iterator[Objection]:
    """Yields what a second extraction says otherwise of the same thing, where it is sure."""
    other = _counterpart(candidate, others)
    if other is None:
        return
    for field, value in candidate.stated():
        second = other.values.get(field)
        if second is None or field.many:
            continue
        if (
            _agree(field, value, second, candidate.task.page.title)
            and not _exchanged(field, value, other)
            and not _out_of_place(candidate, field, value, second)
        ):
            continue
        place = second.quotes[0].start if second.quotes else 0
        yield Objection(
            "wrong_value", f"The page states another {field.pointer} at character {place}."
        )


def _exchanged(field: Field, value: Any, other: RuleRecord) -> bool:
    """True if the value is the one of another field, and not that of this one."""
    if same(value, other.values[field].value, field):
        return False
    return any(
        each != field and not each.many and same(value, read.value, field)
        for each, read in other.values.items()
    )


def _out_of_place(candidate: SubmittedRecord, field: Field, value: Any, second: RuleValue) -> bool:
    """True if the page has the field's name above a text, and the value stands elsewhere and says
    something else: a quote has to stand where its field is.
    """
    if not second.labelled or _wording(field) or not _is_text(field):
        return False
    place, text = second.quotes[0], candidate.text
    quotes = [
        each
        for each in candidate.quotes(field)
        if stands(text, each.get("quote"), each.get("start"))
    ]
    there = any(
        each["start"] < place.end and place.start < each["start"] + len(each["quote"])
        for each in quotes
    )
    short, long = sorted((plain(str(value)), plain(str(second.value))), key=len)
    return bool(quotes) and not there and not f"{long} ".startswith(f"{short} ")


def _is_text(field: Field) -> bool:
    return field.kind == "string" and not field.format and not field.choices


def _agree(field: Field, value: Any, second: RuleValue, title: str) -> bool:
    """True if two readings can both be right. Of wordings, one may be a part of the other; what was
    only found by its place on the page has to share most words. The title of the page is a name.
    """
    if same(value, second.value, field) or (_titled(field) and same(value, title, field)):
        return True
    if not _wording(field):
        return second.sure < _SURE
    texts = plain(str(value)), plain(str(second.value))
    one, other = (set(text.split()) for text in texts)
    if one <= other or other <= one:
        return not _titled(field) or _names(*texts)
    most = 2 * len(one & other) > min(len(one), len(other))
    return second.sure < _SURE and (not _titled(field) or most)


def _names(one: str, other: str) -> bool:
    """True if the shorter text begins the other, or has half of its words."""
    short, long = sorted((one, other), key=len)
    begins = f"{long} ".startswith(f"{short} ")
    return begins or 2 * len({*short.split()}) >= len({*long.split()})


def _wording(field: Field) -> bool:
    """Fields that two good records may word differently."""
    return _titled(field) or called(field, "summary", "description", "url", "abstract")


def _titled(field: Field) -> bool:
    return called(field, "title", "name", "headline")


def _counterpart(candidate: SubmittedRecord, others: list[RuleRecord]) -> RuleRecord | None:
    """The record of the same thing: the one that quotes nearest to it, or the only one."""
    if len(others) <= 1:
        return others[0] if others else None
    places = {each.get("start") for each in candidate.provenance}

    def shared(other: RuleRecord) -> int:
        return sum(quote.start in places for v in other.values.values() for quote in v.quotes)

    best = max(others, key=shared)
    return best if shared(best) > 0 else None


def _subject(candidate: SubmittedRecord) -> Iterator[Objection]:
    """Only what has no word of the objective, in the record or on the page, is off the subject."""
    page = candidate.task.page
    values = " ".join(str(value) for _, value in candidate.stated())
    if share(candidate.task.objective, f"{values} {page.title} {page.text[:20_000]}") == 0.0:
        yield Objection(
            "irrelevant", "Neither the record nor its page has a word of the objective in it."
        )


def _evidence(candidate: SubmittedRecord) -> list[dict[str, Any]]:
    """The quotes that stand, and one for each required value that came without."""
    standing = [
        {name: each[name] for name in ("pointer", "quote", "start")}
        for each in candidate.provenance
        if isinstance(each.get("pointer"), str)
        and stands(candidate.text, each.get("quote"), each.get("start"))
    ]
    own = [
        each
        for field, value in _unquoted(candidate)
        for each in _own_quote(candidate, field, value)
    ]
    return [*own, *standing][:_MOST_EVIDENCE]


def _unquoted(candidate: SubmittedRecord) -> Iterator[tuple[Field, Any]]:
    """The required values that came without a quote."""
    for field, value in candidate.stated():
        if field.required and not candidate.quotes(field):
            yield field, value


def _own_quote(candidate: SubmittedRecord, field: Field, value: Any) -> Iterator[dict[str, Any]]:
    place = locate(candidate.text, value, field)
    if place is not None:
        quote = candidate.text[place.start : place.end]
        yield {"pointer": field.pointer, "quote": quote, "start": place.start}
