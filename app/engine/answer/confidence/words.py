"""The probability that passages answer a question, by their words alone."""

import re
from collections.abc import Sequence
from itertools import pairwise

from app.engine.answer.blocks.sentences import AnswerSentence, answer_sentences
from app.engine.answer.evidence import Evidence
from app.engine.search.overlap import Overlap, sigmoid
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer

# Logistic weights, fitted on one half of the articles of xquad (English and German), all positive
# but the bias: coverage by two sentences that follow each other, bigrams, names, how many terms
# those two hold (enough when five), how far the best passage stands out. What the passage holds
# here and there counts for names only: leaving it out cost nothing, and it is what a page full of
# the question's words has.
WEIGHTS = (9.6, 3.6, 2.5, 2.4, 1.4)
BIAS = -8.04
ENOUGH_TERMS = 5
CROWD, NO_CROWD = 5, 0.3  # the passage the best is compared with; its lead when there are fewer
_NAME = re.compile(r"(?<!^)(?<![\w’'-])(?=[^\W_a-z])[\w’'.-]+")


def by_words(query: Query, read: Sequence[Evidence], overlap: Overlap, analyzer: Analyzer) -> float:
    """The probability by what can be cited of the passages, which are best first.

    A page with every word of the question here and there has less than one that says them together
    and stands out of the others.
    """
    names = frozenset(analyzer.terms(" ".join(_names(query.text)), query.language))
    lead = _lead([x.score for x in read])
    features = [(*_features(query, x, overlap, analyzer, names), lead) for x in read]
    totals = [BIAS + sum(w * x for w, x in zip(WEIGHTS, own, strict=True)) for own in features]
    return sigmoid(max(totals)) if totals else 0.0


def _names(question: str) -> list[str]:
    """Words with a capital or a figure, but the first: what an answer must be about."""
    return [x for x in _NAME.findall(question) if x[0].isupper() or x[0].isdigit()]


def _lead(scores: Sequence[float]) -> float:
    if len(scores) < CROWD or scores[0] <= 0:
        return NO_CROWD
    return (scores[0] - scores[CROWD - 1]) / scores[0]


def _features(
    query: Query,
    evidence: Evidence,
    overlap: Overlap,
    analyzer: Analyzer,
    names: frozenset[str],
) -> tuple[float, ...]:
    language = evidence.language
    found = answer_sentences(evidence, analyzer, query.text)
    body = [term for sentence in found for term in sentence.terms]
    above = sorted({term for sentence in found for term in sentence.headings})
    coverage = overlap.coverage([*above, *body], language)
    question_terms = frozenset(query.terms_in(language))
    named = names & question_terms
    together = _together(found, overlap, language)
    return (
        together,
        overlap.bigram(body, language),
        overlap.coverage([*above, *body], language, of=named) if named else coverage,
        min(1.0, together * len(question_terms) / ENOUGH_TERMS),
    )


def _together(found: Sequence[AnswerSentence], overlap: Overlap, language: str | None) -> float:
    """The most that two sentences that follow each other hold; what only the headings above them
    hold counts half."""
    pairs: list[tuple[AnswerSentence, ...]] = [*pairwise(found)] or [(x,) for x in found]
    best = 0.0
    for pair in pairs:
        inside = [term for sentence in pair for term in sentence.terms]
        above = [term for sentence in pair for term in sorted(sentence.headings)]
        headed = overlap.coverage([*inside, *above], language)
        best = max(best, (overlap.coverage(inside, language) + headed) / 2)
    return best
