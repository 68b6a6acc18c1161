"""The support that a passage of one source gives a sentence cited from another."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.engine.pages.sentences import sentences
from app.engine.search.interface import IndexStats
from app.engine.text import analysis
from app.engine.text.numbers import Number, numbers

LEAST_COVERAGE = 0.4
LEAST_NAMES = 0.5
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A cited sentence, taken apart: idf of each term, its numbers, the terms of its names."""

    weights: dict[str, float]
    numbers: tuple[Number, ...]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Witness:
    """A passage of another source. `terms` are all it holds, so that most need no closer look."""

    text: str
    language: str | None
    terms: frozenset[str]


def claim(sentence: str, language: str | None, stats: IndexStats) -> Claim:
    """Take a sentence apart. Terms that `stats` does not know count as the rarest."""
    capitalised = " ".join(word for word in _WORD.findall(sentence) if word[0].isupper())
    return Claim(
        weights={term: stats.idf(term) for term in analysis.terms(sentence, language)},
        numbers=tuple(numbers(sentence, language)),
        names=frozenset(analysis.terms(capitalised, language)),
    )


def supports(witness: Witness, claimed: Claim) -> bool:
    """True if one sentence of the passage, or two in a row, hold all numbers of the claim, half of
    its names, and .4 of its terms by idf.
    """
    if not claimed.weights or not _similar(claimed, witness.terms):
        return False
    language = witness.language
    spans = list(sentences(witness.text, language))
    neighbours = [(first[0], second[1]) for first, second in pairwise(spans)]
    return any(
        _holds(numbers(part, language), claimed.numbers)
        and _similar(claimed, frozenset(analysis.terms(part, language)))
        for part in (witness.text[start:end] for start, end in [*spans, *neighbours])
    )


def _holds(held: Sequence[Number], claimed: Sequence[Number]) -> bool:
    return all(any(number.equals(other) for other in held) for number in claimed)


def _similar(claimed: Claim, terms: frozenset[str]) -> bool:
    shared = sum(weight for term, weight in claimed.weights.items() if term in terms)
    if shared < LEAST_COVERAGE * sum(claimed.weights.values()):
        return False
    return len(claimed.names & terms) >= LEAST_NAMES * len(claimed.names)
