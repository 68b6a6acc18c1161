"""A model is asked, and once more when its own searches may have found what was missing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.engine.answer.confidence import gate
from app.engine.answer.evidence import Answer, foremost
from app.engine.answer.written.selection import PassageContext
from app.engine.answer.written.writer import Writer, WrittenDraft
from app.engine.search.query import Query
from workers.queue.attempt import Attempt
from workers.searches.candidates import Candidates
from workers.searches.further_context import FurtherContext


@dataclass(frozen=True, slots=True)
class ModelRounds:
    """The result of asking: `written` from `candidates`, in one or two rounds.

    `confidence` is the gate's for the question, or for the best of the `queries` searched for.
    """

    candidates: Candidates
    written: WrittenDraft
    confidence: float
    queries: tuple[str, ...] = ()


def reads(query: Query, candidates: Candidates, extracts: Answer) -> bool:
    """True if the passages are near enough to the question for a model to read them."""
    by_meaning = _by_meaning(candidates)
    return gate.may_be_answered(query, extracts.confidence, by_meaning=by_meaning)


def proposes(query: Query, candidates: Candidates) -> bool:
    """True if a model may propose other words: only words were compared, of a question that has
    some, and there is something to search.
    """
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
        first = writer.write(further.around(candidates), candidates.stats)
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
    attempt.stage("searching again", 80, sources_found=len(asked.candidates.snapshots))
    pooled = further.search(query, asked.candidates, queries)
    asked = replace(asked, queries=queries)
    if first.outcome == "nothing_found" and not pooled.answered:
        return asked
    passages = further.around(pooled.candidates)
    if not _brings_new(passages, first):
        return asked
    second = writer.write(passages, pooled.candidates.stats)
    decided = second.outcome == "ok" or (second.outcome == "declined" and first.outcome != "ok")
    if not decided and first.outcome != "nothing_found":
        return asked
    return ModelRounds(pooled.candidates, second, max(asked.confidence, pooled.confidence), queries)


def _brings_new(passages: Sequence[PassageContext], read: WrittenDraft) -> bool:
    """True if one of the passages is not among those that were read."""
    seen = {(x.snapshot, x.start) for run in read.shown for x in run.parts}
    return any((x.evidence.snapshot, x.evidence.start) not in seen for x in passages)
