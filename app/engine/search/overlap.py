"""The share of a query that a text holds: features of ranking, answering, relevance."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from app.engine.search.interface import IndexStats
from app.engine.search.query import Query
from app.engine.text.kinship import Kin

# Calibrated on xquad, English and German, one half of the articles (bench/answers.py judges by the
# other). All weights are positive, so the probability is monotone in every feature.
RELEVANCE_BIAS = -6.03
RELEVANCE_COVERAGE, RELEVANCE_SENTENCE, RELEVANCE_BIGRAM = 5.22, 3.91, 2.63

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

    def __init__(self, query: Query, stats: IndexStats) -> None:
        self._query = query
        self._stats = stats
        self._asked: dict[tuple[str, ...], _Asked] = {}

    def coverage(
        self,
        terms: Iterable[str],
        language: str | None = None,
        of: frozenset[str] | None = None,
    ) -> float:
        """The idf-weighted share of the query's distinct terms that occur in `terms`, 0 to 1.

        A term that is missing earns a part of its weight from its next of kin (`Kin`). `of`
        restricts the terms of the query that are looked for.
        """
        asked = self._in(language)
        return asked.coverage(asked.akin(terms), of)

    def bigram(self, terms: Sequence[str], language: str | None = None) -> float:
        """The share of the query's distinct neighbouring pairs that are neighbours in `terms`."""
        pairs = self._in(language).pairs
        return len(pairs.intersection(pairwise(terms))) / len(pairs) if pairs else 0.0

    def relevance(
        self, above: Sequence[str], sentences: Sequence[Sequence[str]], language: str | None = None
    ) -> Relevance:
        """Features of a passage: terms of its title and headings, and of each sentence."""
        asked = self._in(language)
        body = list(chain.from_iterable(sentences))
        akin = asked.akin([*above, *body])
        return Relevance(
            coverage=asked.coverage(akin),
            best_sentence=max(
                (asked.coverage(akin.intersection(x)) for x in sentences), default=0.0
            ),
            bigram=self.bigram(body, language),
        )

    def _in(self, language: str | None) -> "_Asked":
        terms = self._query.terms_in(language)
        if terms not in self._asked:
            self._asked[terms] = _Asked(terms, self._stats)
        return self._asked[terms]


class _Asked:
    """The query's terms in one language; what each word of a text is worth is kept per query."""

    def __init__(self, terms: tuple[str, ...], stats: IndexStats) -> None:
        self.weights = {term: _rarity(term, stats) for term in terms}
        self.pairs = frozenset(pairwise(terms))
        self._kin = Kin(self.weights)
        self._worth: dict[str, tuple[tuple[str, float], ...]] = {}
        self._worthless: set[str] = set()  # most words of a text are

    def akin(self, terms: Iterable[str]) -> set[str]:
        """The words of a text that are, or speak for, a term of the query: a few of them."""
        found = set(terms).difference(self._worthless)
        return {word for word in found if self._worth.get(word) or self._learn(word)}

    def coverage(self, akin: Iterable[str], of: frozenset[str] | None = None) -> float:
        """As `Overlap.coverage`, of words from `akin`."""
        held: dict[str, float] = {}
        for word in akin:
            for term, share in self._worth[word]:
                if share > held.get(term, 0.0):
                    held[term] = share
        if not held:
            return 0.0
        weights = self.weights
        sought = weights if of is None else of & weights.keys()
        total = sum(weights[term] for term in sought)
        return sum(weights[x] * held[x] for x in sought if x in held) / total if total else 0.0

    def _learn(self, word: str) -> bool:
        """True if a word is worth anything, and how much from now on."""
        shares = tuple(x for x in self._kin.shares(word) if x[0] != word)
        worth = ((word, 1.0), *shares) if word in self.weights else shares
        if worth:
            self._worth[word] = worth
        else:
            self._worthless.add(word)
        return bool(worth)


def _rarity(term: str, stats: IndexStats) -> float:
    """The idf of a term, with the few passages of a young collection helped out by a prior.

    As if PRIOR_PASSAGES more had been read, of which one in a hundred holds the term: in a
    collection of three notes every word is in a third of them, which says nothing about the word.
    """
    share = (stats.df.get(term, 0) + PRIOR_SHARE * PRIOR_PASSAGES) / (stats.n + PRIOR_PASSAGES)
    return math.log(1 + (1 - share) / share)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))
