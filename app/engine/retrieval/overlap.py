"""How much of a query a piece of text holds: the features of ranking, answering and relevance."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.engine.retrieval.interface import Stats
from app.engine.retrieval.query import Query

# Calibrated on xquad, English and German, one half of the articles (bench/answers.py judges by the
# other). All weights are positive, so the probability is monotone in every feature.
RELEVANCE_BIAS = -6.03
RELEVANCE_COVERAGE, RELEVANCE_SENTENCE, RELEVANCE_BIGRAM = 5.22, 3.91, 2.63

AKIN, AKIN_LETTERS = 0.6, 5
PRIOR_PASSAGES, PRIOR_SHARE = 30, 0.01


@dataclass(frozen=True, slots=True)
class Relevance:
    """The features of one passage, each 0 to 1, and the probability that it answers the query."""

    coverage: float
    best_sentence: float
    bigram: float

    @property
    def probability(self) -> float:
        return sigmoid(
            RELEVANCE_BIAS
            + RELEVANCE_COVERAGE * self.coverage
            + RELEVANCE_SENTENCE * self.best_sentence
            + RELEVANCE_BIGRAM * self.bigram
        )


class Overlap:
    """A query's terms weighted by idf, against the terms of texts."""

    def __init__(self, query: Query, stats: Stats) -> None:
        self._query = query
        self._stats = stats
        self._weights: dict[tuple[str, ...], dict[str, float]] = {}

    def coverage(self, terms: Iterable[str], language: str | None = None) -> float:
        """The idf-weighted share of the query's distinct terms that occur in `terms`, 0 to 1.

        A term of five letters or more that is missing earns .6 of its weight when another begins
        with its first two thirds: what a stemmer leaves apart, and German compounds.
        """
        weights = self._weigh(self._query.terms_in(language))
        total = sum(weights.values())
        if not total:
            return 0.0
        present = frozenset(terms)
        held = sum(w * (1 if x in present else _akin(x, present)) for x, w in weights.items())
        return held / total

    def bigram(self, terms: Sequence[str], language: str | None = None) -> float:
        """The share of the query's distinct neighbouring pairs that are neighbours in `terms`."""
        asked = self._query.terms_in(language)
        pairs = set(pairwise(asked))
        return len(pairs & set(pairwise(terms))) / len(pairs) if pairs else 0.0

    def relevance(
        self, above: Sequence[str], sentences: Sequence[Sequence[str]], language: str | None = None
    ) -> Relevance:
        """Features of a passage: terms of its title and headings, and of each sentence."""
        body = [term for sentence in sentences for term in sentence]
        return Relevance(
            coverage=self.coverage([*above, *body], language),
            best_sentence=max((self.coverage(x, language) for x in sentences), default=0.0),
            bigram=self.bigram(body, language),
        )

    def _weigh(self, terms: tuple[str, ...]) -> dict[str, float]:
        if terms not in self._weights:
            self._weights[terms] = {term: _rarity(term, self._stats) for term in terms}
        return self._weights[terms]


def _rarity(term: str, stats: Stats) -> float:
    """The idf of a term, with the few passages of a young collection helped out by a prior.

    As if PRIOR_PASSAGES more had been read, of which one in a hundred holds the term: in a
    collection of three notes every word is in a third of them, which says nothing about the word.
    """
    share = (stats.df.get(term, 0) + PRIOR_SHARE * PRIOR_PASSAGES) / (stats.n + PRIOR_PASSAGES)
    return math.log(1 + (1 - share) / share)


def _akin(term: str, present: frozenset[str]) -> float:
    if len(term) < AKIN_LETTERS or not term.isalpha():
        return 0.0
    root = term[: max(AKIN_LETTERS, round(len(term) * 2 / 3))]
    return AKIN if any(x.startswith(root) for x in present) else 0.0


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))
