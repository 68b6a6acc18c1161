"""A model fills what rules left empty, or looks at all of it again; only the page's words count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final, Literal

from app.engine.answer.written.draft import NotJson
from app.engine.answer.written.prompt import again
from app.engine.extraction.records.extract import PageRecords
from app.engine.extraction.records.grounded import Answers, ReplyCheck
from app.engine.extraction.records.model_questions import (
    FieldQuestion,
    ModelQuestion,
    ModelValue,
    ask,
    read,
)
from app.engine.extraction.records.readings import MOST_READINGS, Entity, FieldReading, Readings
from app.engine.extraction.records.records import Record, SiteEvidence, assemble
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.text.location import QuoteFinder
from app.engine.extraction.values.compare import same, value_at
from app.engine.extraction.values.typed import Context
from app.engine.fetch.deadline import Deadline
from app.engine.models import prices
from app.engine.models.chat import Model, ModelFailed
from app.engine.models.tokens import estimate

Use = Literal["never", "fill", "check"]
"""Whether a model is asked: not, for fields without a sure value, or for all of them."""

MOST_ASKED: Final = 40  # fields of one page
_LEAST_CHARACTERS = 100  # of a page without any record worth asking about
_AGREED = 0.1  # how much surer a value is that the model reads as well
_SUREST = 0.99
WARNINGS: Final = {
    "unreachable": "the model could not be reached",
    "slow": "the model did not answer in time",
    "blocked": "the model refused the key or asked for a pause",
    "refused": "the model refused the request",
    "broken": "the model gave no usable reply",
    "skipped": "the model failed several times and is left alone for a while",
    "not_json": "the model did not reply in the form it was asked for",
    "no_room": "MODEL_MAX_INPUT_TOKENS leaves no room for a page",
    "partial": f"more than {MOST_ASKED} fields of a page were open; the model was asked for those",
}


@dataclass(frozen=True, slots=True)
class Budget:
    """`tokens` that the job has left, for questions and replies; `input_tokens` and
    `output_tokens` are the most of one call; `seconds` are for all calls about one page."""

    tokens: int
    input_tokens: int
    output_tokens: int
    seconds: float


@dataclass(slots=True)
class FillUsage:
    """The results of asking. `filled` values are new, `agreed` ones were read by rules as well."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    filled: int = 0
    agreed: int = 0
    dropped: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def cost(self, input_price: float, output_price: float) -> Decimal | None:
        """By the prices of a million tokens; None when there is none."""
        return prices.cost(self.input_tokens, self.output_tokens, input_price, output_price)


@dataclass(frozen=True, slots=True)
class FilledPage:
    """The page with what the model added. `warnings` are "model_slow: the model …".

    `budget_reached`: the job has too few tokens left for a call about this page.
    """

    page: PageRecords
    usage: FillUsage = field(default_factory=FillUsage)
    warnings: tuple[str, ...] = ()
    budget_reached: bool = False


def complete(
    page: PageRecords,
    plan: Plan,
    model: Model,
    budget: Budget,
    *,
    url: str,
    use: Use = "fill",
    template: SiteEvidence | None = None,
) -> FilledPage:
    """Ask a model about the records of a page; what fails leaves the page as it was.

    Not asked for are the fields of objects in arrays.
    """
    if use == "never" or page.soft_404 or page.gate or page.needs_rendering:
        return FilledPage(page)
    wanted = _wanted(page.readings.entities, plan, template, use)
    if not wanted or (not page.readings.entities and page.visible_end < _LEAST_CHARACTERS):
        return FilledPage(page)
    asking = _Asking(page, plan, model, budget, Context(url, page.language))
    return asking.complete(wanted, template)


def _wanted(
    entities: Sequence[Entity], plan: Plan, template: SiteEvidence | None, use: Use
) -> list[FieldQuestion]:
    fields = [x for x in plan.every() if x.items is None]
    if not entities:
        return [FieldQuestion(1, field) for field in fields]
    found = []
    for number, entity in enumerate(entities[:MOST_ASKED], start=1):
        records = assemble(plan, Readings((entity,)), template)
        for each in fields:
            if use == "check" or _is_open(each, records):
                found.append(FieldQuestion(number, each, entity.fields.get(each.pointer, ())))
    return found


def _is_open(field: Field, records: Sequence[Record]) -> bool:
    """True if rules found no value of the field, or one that is unsure."""
    return not records or (
        value_at(records[0].data, field.pointer) is None or field.pointer in records[0].unsure
    )


class _Asking:
    """One page about which a model is being asked."""

    def __init__(
        self, page: PageRecords, plan: Plan, model: Model, budget: Budget, context: Context
    ) -> None:
        self._page, self._plan, self._model = page, plan, model
        self._budget, self._context = budget, context
        self._deadline = Deadline(budget.seconds)
        self._usage = FillUsage()
        self._text = QuoteFinder(page.text[: page.visible_end])

    def complete(self, wanted: list[FieldQuestion], template: SiteEvidence | None) -> FilledPage:
        finds_records = not self._page.readings.entities
        partial = ["partial"] if len(wanted) > MOST_ASKED else []
        wanted = wanted[:MOST_ASKED]
        left = self._budget.tokens - self._budget.output_tokens
        most = min(self._budget.input_tokens, left)
        question = ask(self._text.text, wanted, most, finds_records=finds_records)
        if question is None:
            is_spent = left < self._budget.input_tokens
            return self._ended([] if is_spent else ["no_room"], budget_reached=is_spent)
        try:
            said = self._said(question)
        except ModelFailed as failed:
            return self._ended([failed.why])
        except NotJson:
            return self._ended(["not_json"])
        checking = ReplyCheck(self._text, question, wanted, self._context)
        answers = checking.answers(said, finds_records=finds_records)
        self._usage.dropped = answers.dropped
        readings = Readings(self._entities(answers))
        records = assemble(self._plan, readings, template)
        return self._ended(partial, replace(self._page, readings=readings, records=records))

    def _ended(
        self,
        reasons: Sequence[str],
        page: PageRecords | None = None,
        *,
        budget_reached: bool = False,
    ) -> FilledPage:
        warnings = tuple(f"model_{reason}: {WARNINGS[reason]}." for reason in reasons)
        return FilledPage(page or self._page, self._usage, warnings, budget_reached)

    def _said(self, question: ModelQuestion) -> tuple[ModelValue, ...]:
        """The reply; what is no JSON is asked for once more, if there are tokens for it."""
        reply = self._ask(question.messages, question.schema)
        try:
            return read(reply, question.links)
        except NotJson:
            messages = again(question.messages, reply)
            tokens = sum(estimate(message["content"]) for message in messages)
            needed = tokens + self._budget.output_tokens
            if self._usage.tokens + needed > self._budget.tokens:
                raise
            return read(self._ask(messages, question.schema), question.links)

    def _ask(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any]) -> str:
        try:
            seconds = self._deadline.left()
        except TimeoutError:
            raise ModelFailed("slow") from None
        reply = self._model.ask(messages, schema, seconds=seconds)
        self._usage.calls += 1
        self._usage.input_tokens += reply.input_tokens
        self._usage.output_tokens += reply.output_tokens
        return reply.text

    def _entities(self, answers: Answers) -> tuple[Entity, ...]:
        """The entities with the model's readings; new ones where rules found none."""
        entities = list(self._page.readings.entities)
        if not entities:
            return self._found(answers)
        fields = {each.pointer: each for each in self._plan.every()}
        for (number, pointer), reading in answers.readings.items():
            entity = entities[number - 1]
            merged = self._merged(fields[pointer], entity.fields.get(pointer, ()), reading)
            entities[number - 1] = replace(entity, fields={**entity.fields, pointer: merged})
        return tuple(entities)

    def _found(self, answers: Answers) -> tuple[Entity, ...]:
        records: dict[int, dict[str, tuple[FieldReading, ...]]] = {}
        for (number, pointer), reading in answers.readings.items():
            records.setdefault(number, {})[pointer] = (reading,)
            self._usage.filled += 1
        places = {number: min(x[0].start for x in of.values()) for number, of in records.items()}
        return tuple(
            Entity(score=0.5, place=places[number], fields=records[number])
            for number in sorted(records, key=lambda number: places[number])
        )

    def _merged(
        self, field: Field, known: Sequence[FieldReading], reading: FieldReading
    ) -> tuple[FieldReading, ...]:
        """Merges a model's reading with those of rules, surer when both agree."""
        others = [x for x in known if not same(field, x.value, reading.value)]
        agreeing = [x for x in known if same(field, x.value, reading.value)]
        self._usage.agreed += bool(agreeing)
        self._usage.filled += not agreeing
        if agreeing:
            sure = min(_SUREST, max(agreeing[0].confidence + _AGREED, reading.confidence))
            items = tuple(replace(item, confidence=sure) for item in agreeing[0].items)
            reading = replace(agreeing[0], confidence=sure, items=items, ambiguous=False)
        doubtful = [
            replace(x, confidence=min(x.confidence, reading.confidence - 0.01))
            for x in others
            if x.ambiguous
        ]
        merged = [reading, *(x for x in others if not x.ambiguous), *doubtful]
        return tuple(sorted(merged, key=lambda x: -x.confidence)[:MOST_READINGS])
