"""From a question and passages to sentences a model wrote and the passages bear out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

from app.engine.answer.composition import Statement, compose, extracted, with_contradiction
from app.engine.answer.evidence import Answer, Confidence, Evidence
from app.engine.answer.sources.contradictions import Claim, disagreeing
from app.engine.answer.written import draft as drafts
from app.engine.answer.written.check import Checks
from app.engine.answer.written.draft import Draft, NotJson
from app.engine.answer.written.entailment import VERDICTS, questions, verdicts
from app.engine.answer.written.prompt import REPLY, SEARCHES, Prompt, again, ask_for_words, prompt
from app.engine.fetch.deadline import Deadline
from app.engine.models.chat import Model, ModelFailed, Why
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query

Outcome = (
    Why
    | Literal["ok", "declined", "not_json", "unsupported", "no_room", "no_time", "nothing_found"]
)
"""`ok`, or why the model's answer is not used: it said that nothing answers; twice no JSON; its
quotes bore out too little; no room for a passage, or no time, was left; no search found a passage
worth sending; or it gave no reply."""

LEAST_SECONDS = 1.0  # a further call with less time left is not begun


@dataclass(frozen=True, slots=True)
class WriterLimits:
    """`seconds` for all calls together; `input_tokens` for each; `entailment` allows a last one."""

    seconds: float
    input_tokens: int
    entailment: bool = False


@dataclass(frozen=True, slots=True)
class Sentences:
    """The counts of what became of the sentences the model wrote."""

    written: int = 0
    verified: int = 0
    lexical: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class WrittenDraft:
    """The result of asking once: what may be shown, and what the model would search for next.

    There are statements only when the outcome is `ok`: the first sentence, which answers directly,
    is borne out, or two others are. `shown` are the passages the model was sent.
    """

    outcome: Outcome
    statements: tuple[Statement, ...] = ()
    queries: tuple[str, ...] = ()
    sentences: Sentences = Sentences()
    shown: tuple[Evidence, ...] = ()


@dataclass(slots=True)
class WriterUsage:
    """The cost of all calls together. `rounds` counts drafts and other words asked for, not their
    repetitions; `seconds` are wall time, checks and searches between the rounds included.
    """

    rounds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


class Writer:
    """Asks one model about one question, within the limits of all its calls together.

    `progress` hears "writing" and "checking quotes" as they begin, of a second round "writing
    again" and "checking again"; what it raises goes through. `notes` say for whom the answer is.
    """

    def __init__(
        self,
        query: Query,
        model: Model,
        limits: WriterLimits,
        progress: Callable[[str], None] = lambda stage: None,
        notes: Sequence[str] = (),
    ) -> None:
        self._notes = notes
        self._query = query
        self._model, self._limits, self._progress = model, limits, progress
        self._deadline = Deadline(limits.seconds)
        self._began = perf_counter()
        self.usage = WriterUsage()

    def has_time(self) -> bool:
        """True if enough is left to begin another call."""
        try:
            return self._deadline.left() >= LEAST_SECONDS
        except TimeoutError:
            return False

    def write(self, passages: Sequence[Evidence], stats: IndexStats) -> WrittenDraft:
        """An answer from the passages, which are best first, as far as they bear it out."""
        sent = prompt(self._query.text, passages, self._limits.input_tokens, self._notes)
        if not sent.shown:
            return WrittenDraft("no_room")
        second = self.usage.rounds > 0
        try:
            self._progress("writing again" if second else "writing")
            draft = self._draft(sent)
            self._progress("checking again" if second else "checking quotes")
            return self._checked(draft, sent, stats)
        except ModelFailed as failure:
            return WrittenDraft(failure.why, shown=sent.shown)
        except NotJson:
            return WrittenDraft("not_json", shown=sent.shown)
        finally:
            self.usage.seconds = round(perf_counter() - self._began, 4)

    def other_words(self) -> WrittenDraft:
        """Asks the model what it would search for, telling it nothing but the question."""
        self._progress("asking for other words")
        self.usage.rounds += 1
        try:
            reply = self._ask(ask_for_words(self._query.text), SEARCHES)
            return WrittenDraft("nothing_found", queries=drafts.queries(drafts.json_object(reply)))
        except ModelFailed as failure:
            return WrittenDraft(failure.why)
        except NotJson:
            return WrittenDraft("not_json")
        finally:
            self.usage.seconds = round(perf_counter() - self._began, 4)

    def _draft(self, sent: Prompt) -> Draft:
        """The model's draft; what is no JSON is asked for once more."""
        self.usage.rounds += 1
        reply = self._ask(sent.messages, REPLY)
        try:
            return drafts.read(reply)
        except NotJson:
            return drafts.read(self._ask(again(sent.messages, reply), REPLY))

    def _ask(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any]) -> str:
        try:
            seconds = self._deadline.left()
        except TimeoutError:
            raise ModelFailed("slow") from None
        reply = self._model.ask(messages, schema, seconds=seconds)
        self.usage.input_tokens += reply.input_tokens
        self.usage.output_tokens += reply.output_tokens
        return reply.text

    def _checked(self, draft: Draft, sent: Prompt, stats: IndexStats) -> WrittenDraft:
        written, left = Checks(self._query.language, stats).check(draft, sent.shown)
        kept = self._second_look(left)
        verified = sum(x.support == "verified" for x in kept)
        sentences = Sentences(written, verified, len(kept) - verified, written - len(kept))
        enough = len(kept) > 1 or any(x.direct for x in kept)
        shown = tuple(kept) if enough else ()
        outcome: Outcome = "ok" if enough else "unsupported" if written else "declined"
        return WrittenDraft(outcome, shown, draft.queries, sentences, sent.shown)

    def _second_look(self, kept: list[Statement]) -> list[Statement]:
        """Let the model judge what no rule can: raised to verified, dropped, or left as it is."""
        doubtful = [x for x in kept if x.support == "lexical"]
        if not doubtful or not self._limits.entailment or not self.has_time():
            return kept
        pairs = [(x.text, [quote.text for quote in x.quotes]) for x in doubtful]
        try:
            judged = verdicts(self._ask(questions(pairs), VERDICTS), len(pairs))
        except (ModelFailed, NotJson):
            return kept  # not judged: they stay marked as lexical
        entailed = {x.text: judged.get(i) for i, x in enumerate(doubtful)}
        return [
            replace(x, support="verified") if entailed.get(x.text) else x
            for x in kept
            if entailed.get(x.text) is not False
        ]


def written_answer(
    query: Query,
    written: WrittenDraft,
    sources: Sequence[int],
    confidence: Confidence,
    stats: IndexStats,
) -> Answer:
    """Makes an answer of what the model wrote, and where its passages disagree of the sentences
    that do: those it cites as it put them, the others as they stand on their pages.
    """
    slices = [(x, x.start, x.end) for x in written.shown]
    claims = disagreeing(query, slices, Overlap(query, stats))
    uncited = [x for x in claims if not _is_cited(x, written.statements)]
    statements = [*written.statements, *(extracted(x.evidence, x.start, x.end) for x in uncited)]
    return with_contradiction(compose(statements, sources, confidence), claims, query.language)


def _is_cited(claim: Claim, statements: Sequence[Statement]) -> bool:
    """True if a quote of the same sentence holds the value."""
    return any(
        quote.source == claim.evidence.source
        and quote.start < claim.end
        and claim.start < quote.end
        and claim.value.shown in quote.text
        for statement in statements
        for quote in statement.quotes
    )
