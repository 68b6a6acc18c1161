"""The probability that a sentence holds the figure or date that a question asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.blocks import ENDS_SENTENCE, is_row
from app.engine.answer.blocks.kinds import ITEM
from app.engine.answer.blocks.units import Unit
from app.engine.answer.confidence.question_words import AnswerKind
from app.engine.answer.confidence.questions import offers
from app.engine.answer.evidence import Evidence
from app.engine.search.overlap import Overlap, sigmoid
from app.engine.search.query import Query

# Logistic weights, fitted on one half of the articles of xquad (English and German), all positive
# but the bias: coverage, bigrams, kind of answer, passage score, coverage with
# surroundings. The last, coverage by headings alone, was set by hand: xquad has none.
WEIGHTS = (3.0, 1.5, 0.8, 2.5, 1.2, 1.0)
BIAS = -6.4
FRAGMENT = 1.0  # taken from what is a bare line: a signature, a label, a piece of a command


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit and the probability that it holds the answer."""

    evidence: Evidence
    unit: Unit
    probability: float


def score_units(
    query: Query,
    kind: AnswerKind,
    units: Sequence[tuple[Evidence, Unit]],
    overlap: Overlap,
) -> list[ScoredUnit]:
    """Every unit with its probability, most probable first."""
    top = max((evidence.score for evidence, _ in units), default=0.0) or 1.0
    scored = [
        ScoredUnit(evidence, unit, _probability(query, kind, evidence, unit, overlap, top))
        for evidence, unit in units
    ]
    return sorted(scored, key=lambda x: -x.probability)


def _probability(
    query: Query, kind: AnswerKind, evidence: Evidence, unit: Unit, overlap: Overlap, top: float
) -> float:
    language = evidence.language
    features = (
        overlap.coverage(unit.terms, language),
        overlap.bigram(unit.terms, language),
        offers(kind, evidence.snapshot[unit.sentence_start : unit.end], query.text),
        evidence.score / top,
        overlap.coverage(unit.context, language),
        overlap.coverage(unit.headings, language),
    )
    total = BIAS + sum(w * x for w, x in zip(WEIGHTS, features, strict=True))
    return sigmoid(total - FRAGMENT * _is_fragment(evidence.snapshot[unit.start : unit.end]))


def _is_fragment(text: str) -> bool:
    """True if it is one line that is neither a sentence nor a row nor an item of a list."""
    has_form = "\n" in text or is_row(text) or bool(ITEM.match(text))
    return not has_form and not ENDS_SENTENCE.search(text)
