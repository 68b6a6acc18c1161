"""The answer of a search: the model's where its quotes bear it out, otherwise extracts or none."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from app.core import log
from app.core.config.settings import Settings
from app.engine.answer.evidence import Answer
from app.engine.answer.extracts import extractive
from app.engine.answer.extracts.extracts import Extracts
from app.engine.answer.written.writer import (
    LEAST_SECONDS,
    Outcome,
    Sentences,
    Writer,
    WriterLimits,
    WriterUsage,
    WrittenDraft,
    written_answer,
)
from app.engine.models.prices import cost
from app.engine.search.query import Query
from workers.models import chat_model
from workers.page_reader import pages_read
from workers.queue.attempt import Attempt
from workers.searches.candidates import Candidates
from workers.searches.further_context import FurtherContext
from workers.searches.rounds import ModelRounds, ask, proposes, reads

logger = log.get(__name__)

SHARE_OF_TIME = 0.6  # of what a search has left; the rest is for ending it
SPARE_SECONDS = 3.0  # never used for the model
DECLINED = 0.5  # what is left of the confidence of extracts in which a model found no answer

# Why the answer is not the model's although one is configured.
FALLBACKS: dict[Outcome, str] = {
    "unreachable": "the model could not be reached",
    "slow": "the model did not answer in time",
    "blocked": "the model refused the key or asked for a pause",
    "refused": "the model refused the request",
    "broken": "the model gave no usable reply",
    "skipped": "the model failed several times and is left alone for a while",
    "not_json": "the model did not reply in the form it was asked for",
    "declined": "the model found no direct answer in the passages",
    "unsupported": "the quotes of the model bore out too little of what it wrote",
    "no_time": "too little time was left to ask the model",
    "no_room": "MODEL_MAX_INPUT_TOKENS leaves no room for a passage",
    "nothing_found": "other words that the model proposed found nothing that answers",
}
DROPPED = (
    "model_sentences_dropped: {dropped} of {written} sentences the model wrote are not shown, since"
    " its quotes do not bear them out."
)


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """An answer with its candidates, and what became of the model, None if not asked."""

    answer: Answer
    candidates: Candidates
    mode: Literal["extractive", "written"] = "extractive"
    model: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()


def answer(
    attempt: Attempt,
    query: Query,
    candidates: Candidates,
    further: FurtherContext,
    made: Extracts | None = None,
    notes: Sequence[str] = (),
) -> SearchAnswer:
    """Answer from the candidates. `made` keeps what is cut from their passages; `notes`
    are what a model is told of who asks.

    The extracts come first. Without a model they decide whether there is an answer; with one it
    decides, unless they are too far from the question to be read at all. They stay the answer when
    the model fails.
    """
    extracts = extractive.answer(query, candidates.evidence(), candidates.stats, made)
    model = chat_model(attempt.settings)
    if model is None or not (reads(query, candidates, extracts) or proposes(query, candidates)):
        return SearchAnswer(extracts, candidates)
    limits = _limits(attempt)
    writer = Writer(query, model, limits, _progress(attempt, candidates), notes)
    if limits.seconds < LEAST_SECONDS:
        asked = ModelRounds(candidates, WrittenDraft("no_time"), extracts.confidence)
    else:
        asked = ask(attempt, query, candidates, extracts, writer, further)
    written = asked.written
    logger.info("model asked", outcome=written.outcome, **asdict(writer.usage))
    stats = _model_stats(attempt.settings, model.name, asked, writer.usage)
    if written.outcome == "ok":
        return _written(query, asked, stats)
    return _fallback(extracts, candidates, written.outcome, stats)


def _limits(attempt: Attempt) -> WriterLimits:
    settings, left = attempt.settings, attempt.seconds_left
    seconds = min(settings.model_seconds, left * SHARE_OF_TIME, left - SPARE_SECONDS)
    return WriterLimits(seconds, settings.model_max_input_tokens, settings.model_entailment)


_PERCENT = {"writing": 75, "writing again": 85, "checking quotes": 80, "checking again": 90}


def _progress(attempt: Attempt, candidates: Candidates) -> Callable[[str], None]:
    def progress(stage: str) -> None:
        attempt.stage(stage, _PERCENT.get(stage, 75), **pages_read(candidates.snapshots.values()))

    return progress


def _model_stats(
    settings: Settings, name: str, asked: ModelRounds, usage: WriterUsage
) -> dict[str, Any]:
    written = asked.written
    paid = cost(
        usage.input_tokens,
        usage.output_tokens,
        settings.model_input_price,
        settings.model_output_price,
    )
    return {
        "name": name,
        "outcome": written.outcome,
        **asdict(usage),
        "queries": list(asked.queries),
        "sentences": asdict(written.sentences),
        **({"cost": float(paid)} if paid is not None else {}),
    }


def _written(query: Query, asked: ModelRounds, stats: dict[str, Any]) -> SearchAnswer:
    candidates, written = asked.candidates, asked.written
    shown = written_answer(query, written, _sources(candidates), asked.confidence, candidates.stats)
    return SearchAnswer(shown, candidates, "written", stats, tuple(_dropped(written.sentences)))


def _fallback(
    extracts: Answer, candidates: Candidates, outcome: Outcome, stats: dict[str, Any]
) -> SearchAnswer:
    """The extracts, less sure of them where a model read the passages and found no answer."""
    if outcome == "declined":
        less = replace(extracts.confidence, answer=DECLINED * extracts.confidence.answer)
        extracts = replace(extracts, confidence=less)
    shown = "the answer consists of extracts" if extracts.answered else "no answer is given"
    warning = f"model_{outcome}: {FALLBACKS[outcome]}; {shown}."
    return SearchAnswer(extracts, candidates, model=stats, warnings=(warning,))


def _sources(candidates: Candidates) -> tuple[int, ...]:
    best = sorted(candidates.evidence(), key=lambda x: -x.score)
    return tuple(dict.fromkeys(x.source for x in best))


def _dropped(sentences: Sentences) -> list[str]:
    if not sentences.dropped:
        return []
    return [DROPPED.format(dropped=sentences.dropped, written=sentences.written)]
