"""Whether a passage of one source supports a sentence that is cited from another."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.engine.pages.sentences import sentences
from app.engine.retrieval.interface import Stats
from app.engine.text.analysis import Analyzer

LEAST_COVERAGE = 0.4
LEAST_NAMES = 0.5
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A cited sentence, taken apart: idf of each term, its numbers, the terms of its names."""

    weights: dict[str, float]
    numbers: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Witness:
    """A passage of another source. `terms` are all it holds, so that most need no closer look."""

    text: str
    language: str | None
    terms: frozenset[str]


def claim(sentence: str, language: str | None, stats: Stats, analyzer: Analyzer) -> Claim:
    """Take a sentence apart. Terms that `stats` does not know count as the rarest."""
    capitalised = " ".join(word for word in _WORD.findall(sentence) if word[0].isupper())
    return Claim(
        weights={term: stats.idf(term) for term in analyzer.terms(sentence, language)},
        numbers=frozenset(_numbers(sentence)),
        names=frozenset(analyzer.terms(capitalised, language)),
    )


def supports(witness: Witness, claimed: Claim, analyzer: Analyzer) -> bool:
    """Whether one sentence of the passage, or two in a row, hold all numbers of the claim, half of
    its names, and .4 of its terms by idf."""
    if not claimed.weights or not _similar(claimed, witness.terms):
        return False
    if not claimed.numbers <= set(_numbers(witness.text)):
        return False
    spans = sentences(witness.text, witness.language)
    said = [witness.text[start:end] for start, end in spans]
    parts = [(set(_numbers(x)), set(analyzer.terms(x, witness.language))) for x in said]
    return any(
        claimed.numbers <= numbers and _similar(claimed, terms)
        for numbers, terms in _neighbours(parts)
    )


def _neighbours(
    parts: Sequence[tuple[set[str], set[str]]],
) -> Iterator[tuple[set[str], set[str]]]:
    yield from parts
    for (numbers, terms), (more_numbers, more_terms) in pairwise(parts):
        yield numbers | more_numbers, terms | more_terms


def _similar(claimed: Claim, terms: set[str] | frozenset[str]) -> bool:
    shared = sum(weight for term, weight in claimed.weights.items() if term in terms)
    named = len(claimed.names & terms)
    return shared >= LEAST_COVERAGE * sum(claimed.weights.values()) and named >= LEAST_NAMES * len(
        claimed.names
    )


def _numbers(text: str) -> Iterator[str]:
    """Numbers without thousands separators, with a decimal point: 1,033 and 1.033 are 1033."""
    for number in _NUMBER.findall(text):
        yield _THOUSANDS.sub("", number).replace(",", ".")
