"""A model is asked, and once more when its own searches may have found what was missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.engine.answer.confidence import gate
from app.engine.answer.evidence import Answer, Confidence, Evidence, foremost
from app.engine.answer.written.prompt import PASSAGES
from app.engine.answer.written.writer import Writer, WrittenDraft
from app.engine.search.query import Query
from workers.page_reader import pages_read
from workers.queue.attempt import Attempt
from workers.searches.candidates import Candidates
from workers.searches.further_context import FurtherContext


@dataclass(frozen=True, slots=True)
class ModelRounds:
    """The result of asking: `written` from `candidates`, in one or two rounds.

    `confidence` is that of the question, or of the best of the `queries` searched for.
    """

    candidates: Candidates
    written: WrittenDraft
    confidence: Confidence
    queries: tuple[str, ...] = ()


def reads(query: Query, candidates: Candidates, extracts: Answer) -> bool:
    """True if the passages are near enough to the question for a model to read them."""
    by_meaning = _by_meaning(candidates)
    return gate.may_be_answered(query, extracts.confidence.sources, by_meaning=by_meaning)


def proposes(query: Query, candidates: Candidates) -> bool:
    """True if a model may propose other words: only words were compared, and there are some."""
    return not _by_meaning(candidates) and candidates.stats.n > 0 and gate.has_words(query)


def _by_meaning(candidates: Candidates) -> bool:
    return gate.best_cosine(foremost(candidates.evidence())) is not None


def ask(
    attempt: Attempt,
    query: Query,
    candidates: Candidates,
    extracts: Answer,
    writer: Writer,
    further: FurtherContext,
) -> ModelRounds:
    """Ask about the passages, or for other words where they are too far from the question.

    A second round is had when the model declined or the extracts alone would be no answer, if it
    names searches, these find passages it has not seen, and there is time. There is never a third.
    """
    if reads(query, candidates, extracts):
        first = writer.write(candidates.evidence(), candidates.stats)
    else:
        first = writer.other_words()
    asked = ModelRounds(candidates, first, extracts.confidence)
    unsure = first.outcome in {"declined", "nothing_found"} or not extracts.answered
    if not (unsure and first.queries and writer.has_time()):
        return asked
    return _again(attempt, query, asked, writer, further)


def _again(
    attempt: Attempt, query: Query, asked: ModelRounds, writer: Writer, further: FurtherContext
) -> ModelRounds:
    first, queries = asked.written, asked.written.queries
    attempt.stage("searching again", 80, **pages_read(asked.candidates.snapshots.values()))
    pooled = further.search(query, asked.candidates, queries)
    asked = replace(asked, queries=queries)
    if first.outcome == "nothing_found" and not pooled.answered:
        return asked
    passages = pooled.candidates.evidence()
    if not _brings_new(passages, first):
        return asked
    second = writer.write(passages, pooled.candidates.stats)
    decided = second.outcome == "ok" or (second.outcome == "declined" and first.outcome != "ok")
    if not decided and first.outcome != "nothing_found":
        return asked
    confidence = max(asked.confidence, pooled.confidence, key=lambda x: x.sources)
    return ModelRounds(pooled.candidates, second, confidence, queries)


def _brings_new(passages: Sequence[Evidence], read: WrittenDraft) -> bool:
    """True if one of the passages that a model would read is not among those that were read."""
    return any(
        not any(x.snapshot == y.snapshot and x.start <= y.start < x.end for y in read.shown)
        for x in foremost(passages, PASSAGES)
    )
