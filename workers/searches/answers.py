"""The answer of a search: the model's where its quotes bear it out, otherwise extracts."""

from dataclasses import dataclass
from typing import Any, Literal

from app.core import log
from app.engine.answer import extractive
from app.engine.answer.evidence import Answer
from app.engine.answer.written.writing import Limits, Outcome, Report, write
from app.engine.retrieval.query import Query
from workers.models import chat_model
from workers.queue.attempt import Attempt
from workers.searches.candidates import ANALYZER, Candidates

logger = log.get(__name__)

SHARE_OF_TIME = 0.6  # of what a search has left; the rest is for ending it
SPARE_SECONDS = 3.0  # never used for the model
LEAST_SECONDS = 1.0  # with less time left the model is not called

# Why the answer consists of extracts although a model is configured.
FALLBACKS: dict[Outcome, str] = {
    "unreachable": "the model could not be reached",
    "slow": "the model did not answer in time",
    "blocked": "the model refused the key or asked for a pause",
    "refused": "the model refused the request",
    "broken": "the model gave no usable reply",
    "skipped": "the model failed several times and is left alone for a while",
    "not_json": "the model did not reply in the form it was asked for",
    "declined": "the model found no answer in the passages",
    "unsupported": "no sentence of the model was supported by its quotes",
    "no_time": "too little time was left to ask the model",
    "no_room": "MODEL_MAX_INPUT_TOKENS leaves no room for a passage",
}


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, how it was made, and what became of the model: None when none is configured."""

    answer: Answer
    mode: Literal["extractive", "written"] = "extractive"
    model: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()


def answer(attempt: Attempt, query: Query, candidates: Candidates) -> Answered:
    """Answer from the candidates.

    The extracts come first: they decide whether the sources answer at all, and a model is asked
    only then. They stay the answer when the model fails.
    """
    settings, evidence = attempt.settings, candidates.evidence()
    extracts = extractive.answer(query, evidence, candidates.stats, ANALYZER)
    model = chat_model(settings)
    if model is None or not extracts.answered:
        return Answered(extracts)
    seconds = min(
        settings.model_seconds,
        attempt.seconds_left * SHARE_OF_TIME,
        attempt.seconds_left - SPARE_SECONDS,
    )
    if seconds < LEAST_SECONDS:
        return _fallback(extracts, Report(model.name, "no_time"))
    limits = Limits(seconds, settings.model_max_input_tokens, settings.model_entailment)

    def progress(stage: str) -> None:
        percent = 75 if stage == "writing" else 85
        attempt.stage(stage, percent, sources_found=len(candidates.snapshots))

    written, report = write(
        query, evidence, candidates.stats, ANALYZER, model, limits, extracts.confidence, progress
    )
    logger.info("model asked", outcome=report.outcome, seconds=report.seconds)
    if written is None:
        return _fallback(extracts, report)
    return Answered(written, "written", report.as_dict())


def _fallback(extracts: Answer, report: Report) -> Answered:
    why = FALLBACKS[report.outcome]
    warning = f"model_{report.outcome}: {why}; the answer consists of extracts."
    return Answered(extracts, model=report.as_dict(), warnings=(warning,))
