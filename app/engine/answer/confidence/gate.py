"""The confidence of an answer: whether the passages found answer the question at all."""

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from app.engine.answer.blocks.units import Unit
from app.engine.answer.evidence import Evidence
from app.engine.search.overlap import Overlap, sigmoid
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer
from app.engine.text.scripts import UNSPACED_RUN

# Least confidence, by the query's language, set where about 7 % of questions are answered whose
# article is missing (xquad). Words of other languages match their sources less often than English
# ones do, which are hardly inflected and never compounded. Scripts without spaces are cut into
# bigrams, many of which lie across two words; their gate is from English text turned into such a
# script word by word, where it keeps out all but 4 in 100.
GATES = {"en": 0.51, **dict.fromkeys(("zh", "ja", "ko", "th", "lo", "km", "my"), 0.08)}
GATE = 0.32

# With meaning: one logistic of what words say and of the best cosine, fitted on 340 questions of
# manuals and of xquad that are answerable and 277 that are not, each set weighing the same; so one
# threshold serves (bench/refusals.py prints what others would do).
BY_WORDS, BY_COSINE, BY_NEITHER = 2.32 / 5, 10.59, -6.04
GATE_BY_MEANING = 0.5
# A question of one word says little of what it wants: its passage must be as near as this.
FEW_TERMS, NEAR, AT_MOST = 2, 0.5, 0.1
# Of the threshold: from here on a model may be asked, which may decline.
PERHAPS = 0.4

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


def has_words(query: Query) -> bool:
    """True if a question has a word that says something by itself; "x" and "2+2" have none."""
    return any(_is_word(term) for term in query.terms)


def passes(query: Query, confidence: float, *, by_meaning: bool = False) -> bool:
    """True if a confidence is enough for an answer to this query."""
    return confidence >= _threshold(query, by_meaning)


def may_be_answered(query: Query, confidence: float, *, by_meaning: bool = False) -> bool:
    """True if it is worth asking a model, which can tell that nothing answers."""
    return confidence >= PERHAPS * _threshold(query, by_meaning)


def _threshold(query: Query, by_meaning: bool) -> float:
    return GATE_BY_MEANING if by_meaning else GATES.get(query.language, GATE)


def best_cosine(evidence: Sequence[Evidence]) -> float | None:
    """Returns how near the nearest passage is to the question; None when it is known of too few."""
    cosines = [x.cosine for x in evidence if x.cosine is not None]
    return max(cosines) if 2 * len(cosines) > len(evidence) else None


def confidence(
    query: Query,
    cut: Sequence[tuple[Evidence, Sequence[Unit]]],
    scores: Sequence[float],
    overlap: Overlap,
    analyzer: Analyzer,
) -> float:
    """The probability that the passages answer, by their words and, where known, their meaning.

    `scores` are those of the passages, best first. What has no word in it ("x", "2+2") asks for
    nothing, though most collections have its letters.
    """
    if not has_words(query):
        return 0.0
    by_words = _by_words(query, cut, scores, overlap, analyzer)
    cosine = best_cosine([evidence for evidence, _ in cut])
    if cosine is None:
        return by_words
    few = len(set(query.terms_in(query.language))) < FEW_TERMS
    both = sigmoid(BY_WORDS * _logit(by_words) + BY_COSINE * cosine + BY_NEITHER)
    return min(both, AT_MOST) if few and cosine < NEAR else both


def _logit(probability: float) -> float:
    within = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(within / (1 - within))


def _by_words(
    query: Query,
    cut: Sequence[tuple[Evidence, Sequence[Unit]]],
    scores: Sequence[float],
    overlap: Overlap,
    analyzer: Analyzer,
) -> float:
    """The confidence by what can be cited.

    A page with every word of the question here and there has less than one that says them together
    and stands out of the others.
    """
    names = frozenset(analyzer.terms(" ".join(_names(query.text)), query.language))
    lead = _lead(scores)
    totals = (
        BIAS + sum(w * x for w, x in zip(WEIGHTS, (*features, lead), strict=True))
        for evidence, found in cut
        if (features := _features(query, evidence, found, overlap, names))
    )
    return sigmoid(max(totals, default=2 * BIAS)) if cut else 0.0


def _is_word(term: str) -> bool:
    """True if a term says something by itself: two characters with a letter, or one sign of a
    script that writes words with one.
    """
    if UNSPACED_RUN.search(term):
        return True
    return len(term) > 1 and any(character.isalpha() for character in term)


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
    found: Sequence[Unit],
    overlap: Overlap,
    names: frozenset[str],
) -> tuple[float, ...]:
    language = evidence.language
    body = [term for unit in found for term in unit.terms]
    above = sorted({term for unit in found for term in unit.headings})
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


def _together(found: Sequence[Unit], overlap: Overlap, language: str | None) -> float:
    """The most that two sentences that follow each other hold; what only the headings above them
    hold counts half."""
    pairs: list[tuple[Unit, ...]] = [*pairwise(found)] or [(x,) for x in found]
    best = 0.0
    for pair in pairs:
        inside = [term for unit in pair for term in unit.terms]
        above = [term for unit in pair for term in sorted(unit.headings)]
        headed = overlap.coverage([*inside, *above], language)
        best = max(best, (overlap.coverage(inside, language) + headed) / 2)
    return best
