"""A model's statements about a field, as far as the page bears them out by quotes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.engine.answer.written.plain_sentences import orders_near
from app.engine.extraction.changes.masks import folded
from app.engine.extraction.records.model_questions import FieldQuestion, ModelQuestion, ModelValue
from app.engine.extraction.records.readings import FieldReading, cited
from app.engine.extraction.schema.formats import ADDRESSES
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.text.location import QuoteFinder
from app.engine.extraction.values.compare import same
from app.engine.extraction.values.typed import Context, TypedValue
from app.engine.extraction.values.values import fits, typed

LOCATED: Final = 0.75  # how sure a value is that stands on the page as the model has it
_ALIKE = 0.7  # but for its spelling
_JUDGED = 0.55  # a choice, of which only the passage can be checked
_MOST_RECORDS = 20  # that a model may find where rules found none

Slot = tuple[int, str]
"""The number of a record, and a pointer into it."""


@dataclass(slots=True)
class Answers:
    """The readings by slot, and how many values the page did not bear out."""

    readings: dict[Slot, FieldReading]
    dropped: int = 0


class ReplyCheck:
    """The replies to one question, checked against the page they are about."""

    def __init__(
        self,
        page: QuoteFinder,
        question: ModelQuestion,
        wanted: Sequence[FieldQuestion],
        context: Context,
    ) -> None:
        self._page, self._question, self._context = page, question, context
        self._wanted: Mapping[Slot, FieldQuestion] = {
            (x.record, x.field.pointer): x for x in wanted
        }

    def answers(self, said: Sequence[ModelValue], *, finds_records: bool) -> Answers:
        answers, found = Answers({}), dict[Slot, list[FieldReading]]()
        for each in said:
            wanted = self._slot(each, finds_records)
            reading = self._reading(each, wanted) if wanted else None
            if wanted is None or reading is None:
                answers.dropped += 1
                continue
            found.setdefault((each.record, wanted.field.pointer), []).append(reading)
            if len(found[each.record, wanted.field.pointer]) > 1 and wanted.field.item is None:
                answers.dropped += 1
        for (record, pointer), readings in found.items():
            field = (self._wanted.get((record, pointer)) or self._wanted[1, pointer]).field
            answers.readings[record, pointer] = _listed(readings) if field.item else readings[0]
        return answers

    def _slot(self, said: ModelValue, finds_records: bool) -> FieldQuestion | None:
        if finds_records and 1 <= said.record <= _MOST_RECORDS:
            return self._wanted.get((1, said.pointer))
        return self._wanted.get((said.record, said.pointer))

    def _reading(self, said: ModelValue, wanted: FieldQuestion) -> FieldReading | None:
        """The candidate the model chose, if it has its value; else the passage it quotes."""
        field = wanted.field.item or wanted.field
        candidate = self._chosen(said, wanted)
        if candidate and self._means(candidate, said, wanted.field):
            return replace(
                candidate, confidence=max(candidate.confidence, LOCATED), ambiguous=False
            )
        return self._located(said, field, candidate)

    def _chosen(self, said: ModelValue, wanted: FieldQuestion) -> FieldReading | None:
        shown = self._question.candidates
        if not 1 <= said.candidate <= len(shown):
            return None
        owner, reading = shown[said.candidate - 1]
        return reading if owner is wanted else None

    def _means(self, candidate: FieldReading, said: ModelValue, field: Field) -> bool:
        """True if the value the model gives is that of the candidate it names."""
        if field.item and not isinstance(candidate.value, list):
            field = field.item
        value = typed(said.value, field, self._context)
        alike = folded(said.value) == folded(candidate.quote)
        return alike or (value is not None and same(field, value.value, candidate.value))

    def _located(
        self, said: ModelValue, field: Field, candidate: FieldReading | None
    ) -> FieldReading | None:
        near = (candidate.start, candidate.end) if candidate else None
        place = self._page.place(said.quote or said.value, said.before, said.after, near)
        if place is None or orders_near(self._page.text, place.start, place.end):
            return None
        start, end = self._narrowed(said, field, place.start, place.end)
        quote = self._page.text[start:end]
        value = self._value(said, quote, field)
        if value is None or not fits(field, value.value):
            return None
        sure = LOCATED if place.match == "exact" else _ALIKE
        return FieldReading(
            value=value.value,
            confidence=_JUDGED if value.transform == "model" else sure,
            method="llm",
            path=f"llm:{field.name}",
            transform=value.transform,
            precision=value.precision,
            **cited(self._page.text, start, end),
        )

    def _narrowed(self, said: ModelValue, field: Field, start: int, end: int) -> tuple[int, int]:
        """The value inside a longer quote of a text."""
        if field.type != "string" or folded(said.value) == folded(said.quote):
            return start, end
        inner = QuoteFinder(self._page.text[start:end]).place(said.value)
        return (start + inner.start, start + inner.end) if inner else (start, end)

    def _value(self, said: ModelValue, quote: str, field: Field) -> TypedValue | None:
        """Returns the value that the quote says; it has to be what the model says it says."""
        if field.format in ADDRESSES and not quote.startswith(("http://", "https://")):
            return None  # a word of the page joined to its address was not on the page
        meant, stated = (typed(text, field, self._context) for text in (said.value, quote))
        if meant is None:
            return None
        if stated is None:
            is_choice = field.type == "boolean" or bool(field.enum)
            return TypedValue(meant.value, "model") if is_choice else None
        return stated if same(field, stated.value, meant.value) else None


def _listed(items: Sequence[FieldReading]) -> FieldReading:
    """A list of what was read one by one, in the order of the page, nothing twice."""
    distinct = {(item.start, item.end): item for item in items if not item.items}
    ordered = tuple(sorted(distinct.values(), key=lambda item: item.start))
    if not ordered:
        return items[0]
    values = [item.value for item in ordered]
    return FieldReading(
        values, min(x.confidence for x in ordered), "llm", ordered[0].path, items=ordered
    )
