"""From a question and passages to an answer the model wrote and the passages support."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any, Literal, Protocol

from app.engine.answer.evidence import Answer, Evidence
from app.engine.answer.written import draft as drafts
from app.engine.answer.written.composing import Grounded, Shown, Statement, compose
from app.engine.answer.written.draft import Draft, NotJson, Sentence
from app.engine.answer.written.entailment import VERDICTS, questions, verdicts
from app.engine.answer.written.grounding import Grounding
from app.engine.answer.written.prompt import AGAIN, REPLY, Prompt, prompt
from app.engine.answer.written.support import Judge, Quoted, Support
from app.engine.answer.written.wording import orders_near, statements
from app.engine.fetch.deadline import Deadline
from app.engine.models.chat import ModelFailed, Reply, Why
from app.engine.retrieval.interface import Stats
from app.engine.retrieval.query import Query
from app.engine.text.analysis import Analyzer

Outcome = Why | Literal["ok", "declined", "not_json", "unsupported", "no_room", "no_time"]
"""`ok`, or why the model's answer is not used: it said that nothing answers; twice no JSON; no
sentence survived the checks; no room for a passage, or no time, was left; or it gave no reply."""

_LEAST_SECONDS = 1.0  # a further call with less time left is not begun


class Model(Protocol):
    name: str

    def ask(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], *, seconds: float
    ) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` for all calls together; `input_tokens` for each; `entailment` allows a last one."""

    seconds: float
    input_tokens: int
    entailment: bool = False


@dataclass(slots=True)
class Sentences:
    """What became of the sentences the model wrote."""

    written: int = 0
    verified: int = 0
    lexical: int = 0
    dropped: int = 0


@dataclass(slots=True)
class Report:
    """What asking the model came to; `seconds` are wall time, checks included."""

    name: str
    outcome: Outcome = "ok"
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    sentences: Sentences = field(default_factory=Sentences)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def write(
    query: Query,
    evidence: Sequence[Evidence],
    stats: Stats,
    analyzer: Analyzer,
    model: Model,
    limits: Limits,
    confidence: float,
    progress: Callable[[str], None] = lambda stage: None,
) -> tuple[Answer | None, Report]:
    """The model's answer as far as the passages bear it out; None when that is nothing.

    `progress` hears "writing" and "checking quotes" as they begin; what it raises goes through.
    `confidence` is handed on into the answer.
    """
    began = perf_counter()
    writing = _Writing(query, stats, analyzer, model, limits)
    try:
        kept = writing.statements(evidence, progress)
    except ModelFailed as failed:
        writing.report.outcome, kept = failed.why, []
    except NotJson:
        writing.report.outcome, kept = "not_json", []
    report = writing.report
    report.seconds = round(perf_counter() - began, 4)
    if not kept:
        return None, report
    order = dict.fromkeys(x.source for x in sorted(evidence, key=lambda x: -x.score))
    return compose(kept, tuple(order), confidence), report


@dataclass(slots=True)
class _Candidate:
    """A sentence the rules have not dropped."""

    text: str
    quotes: tuple[Grounded, ...]
    support: Shown


class _Writing:
    """One answer in the making."""

    def __init__(
        self, query: Query, stats: Stats, analyzer: Analyzer, model: Model, limits: Limits
    ) -> None:
        self._query, self._model, self._limits = query, model, limits
        self._judge = Judge(query.language, stats, analyzer)
        self._grounding = Grounding()
        self._deadline = Deadline(limits.seconds)
        self.report = Report(model.name)

    def statements(
        self, evidence: Sequence[Evidence], progress: Callable[[str], None]
    ) -> list[Statement]:
        """What may be shown. Raises ModelFailed, NotJson."""
        sent = prompt(self._query.text, evidence, self._limits.input_tokens)
        if not sent.shown:
            self.report.outcome = "no_room"
            return []
        progress("writing")
        draft = self._draft(sent)
        progress("checking quotes")
        kept = self._second_look(self._supported(draft, sent))
        counts = self.report.sentences
        counts.verified = sum(x.support == "verified" for x in kept)
        counts.lexical = len(kept) - counts.verified
        counts.dropped = counts.written - len(kept)
        if not kept:
            self.report.outcome = "unsupported" if counts.written else "declined"
        return [Statement(x.text, x.quotes, x.support) for x in kept]

    def _draft(self, sent: Prompt) -> Draft:
        """The model's draft; what is no JSON is asked for once more."""
        reply = self._ask(sent.messages, REPLY)
        try:
            return drafts.read(reply)
        except NotJson:
            again = [*sent.messages, {"role": "user", "content": AGAIN}]
            return drafts.read(self._ask(again, REPLY))

    def _ask(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any]) -> str:
        try:
            seconds = self._deadline.left()
        except TimeoutError:
            raise ModelFailed("slow") from None
        reply = self._model.ask(messages, schema, seconds=seconds)
        self.report.input_tokens += reply.input_tokens
        self.report.output_tokens += reply.output_tokens
        return reply.text

    def _supported(self, draft: Draft, sent: Prompt) -> list[_Candidate]:
        kept: list[_Candidate] = []
        seen: set[str] = set()
        for sentence in draft.sentences if draft.answered else ():
            texts = list(statements(sentence.text, self._query.language))
            self.report.sentences.written += max(1, len(texts))
            quotes = self._grounded(sentence, sent)
            for text in texts:
                support, bearing = self._bearing(text, quotes)
                if support != "unsupported" and text.casefold() not in seen:
                    seen.add(text.casefold())
                    kept.append(_Candidate(text, bearing, support))
        return kept

    def _bearing(
        self, text: str, quotes: tuple[Grounded, ...]
    ) -> tuple[Support, tuple[Grounded, ...]]:
        """The support of a sentence, and those of the quotes that have a part in it.

        A quote has when it bears the sentence out alone, or holds words of it the others do not.
        """
        judge, every = self._judge, [x.quoted for x in quotes]
        support = judge.support(text, every)
        if support == "unsupported" or len(quotes) == 1:
            return support, quotes
        whole = judge.coverage(text, every)
        bearing = tuple(
            x
            for x in quotes
            if judge.support(text, [x.quoted]) != "unsupported"
            or judge.coverage(text, [y for y in every if y is not x.quoted]) < whole
        )
        enough = judge.support(text, [x.quoted for x in bearing]) == support
        return support, bearing if enough else quotes

    def _grounded(self, sentence: Sentence, sent: Prompt) -> tuple[Grounded, ...]:
        found: dict[tuple[int, int, int], Grounded] = {}
        for quote in sentence.quotes:
            if not 1 <= quote.number <= len(sent.shown):
                continue
            shown = sent.shown[quote.number - 1]
            item = shown.evidence
            place = self._grounding.locate(quote.text, item.snapshot, [(shown.start, shown.end)])
            if place is None or orders_near(item.snapshot, place.start, place.end):
                continue
            before = item.snapshot[min(item.start, place.start) : place.start]
            around = "\n".join([item.title, *item.headings, before])
            quoted = Quoted(item.snapshot, place.start, place.end, item.language, around)
            key = (item.source, place.start, place.end)
            found.setdefault(key, Grounded(item.source, quoted, place))
        return tuple(found.values())

    def _second_look(self, kept: list[_Candidate]) -> list[_Candidate]:
        """Let the model judge what no rule can: raised to verified, dropped, or left as it is."""
        doubtful = [x for x in kept if x.support == "lexical"]
        if not doubtful or not self._limits.entailment:
            return kept
        pairs = [(x.text, [quote.quoted.text for quote in x.quotes]) for x in doubtful]
        try:
            if self._deadline.left() < _LEAST_SECONDS:
                return kept
            found = verdicts(self._ask(questions(pairs), VERDICTS), len(pairs))
        except (ModelFailed, NotJson, TimeoutError):
            return kept  # not judged: they stay marked as lexical
        denied = [x for i, x in enumerate(doubtful) if found.get(i) is False]
        for i, candidate in enumerate(doubtful):
            if found.get(i):
                candidate.support = "verified"
        return [x for x in kept if not any(x is other for other in denied)]
