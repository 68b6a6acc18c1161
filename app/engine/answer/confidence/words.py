"""The probability that passages answer a question, by their words alone."""

import re
from collections.abc import Sequence
from itertools import chain, pairwise

from app.engine.answer.evidence import Evidence
from app.engine.search.overlap import Overlap, sigmoid
from app.engine.search.query import Query
from app.engine.search.rank import sentence_terms
from app.engine.text import analysis

# Logistic weights, fitted on one half of the articles of xquad (English and German), all positive
# but the bias: how much of the question two sentences in a row hold, neighbouring words, names, and
# how many terms those two hold (enough when five). What a passage holds here and there counts for
# names only: a page full of the question's words has all of them somewhere.
TOGETHER, BIGRAM, NAMES, TERMS, BIAS = 9.99, 4.07, 2.60, 2.82, -7.56
ENOUGH_TERMS = 5
# Words with a capital or a figure, but the first: what an answer must be about.
_NAME = re.compile(r"(?<!^)(?<![\w’'-])(?=[^\W_a-z])[\w’'.-]+")


def by_words(query: Query, read: Sequence[Evidence], overlap: Overlap) -> float:
    """The probability by the passage that most probably does."""
    capital = (x for x in _NAME.findall(query.text) if x[0].isupper() or x[0].isdigit())
    names = frozenset(analysis.terms(" ".join(capital), query.language))
    return max((_answers(query, x, names, overlap) for x in read), default=0.0)


def _answers(query: Query, evidence: Evidence, names: frozenset[str], overlap: Overlap) -> float:
    language = evidence.language
    above = analysis.terms("\n".join((evidence.title, *evidence.headings)), language)
    said = sentence_terms(evidence.text, language)
    body = list(chain.from_iterable(said))
    asked = frozenset(query.terms_in(language))
    together = _together(said, above, overlap, language)
    return sigmoid(
        BIAS
        + TOGETHER * together
        + TERMS * min(1.0, together * len(asked) / ENOUGH_TERMS)
        + BIGRAM * overlap.bigram(body, language)
        + NAMES * overlap.coverage([*above, *body], language, of=names & asked or None)
    )


def _together(
    said: Sequence[Sequence[str]], above: Sequence[str], overlap: Overlap, language: str | None
) -> float:
    """The most that two sentences in a row hold; what only the headings hold counts half."""
    inside = [[*a, *b] for a, b in pairwise(said)] or [list(x) for x in said]
    headed = ((x, [*x, *above]) for x in inside)
    return max((sum(overlap.coverage(x, language) for x in pair) / 2 for pair in headed), default=0)
