"""Sources that say the same but for a figure or a date: precision before recall."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.sentences import spans_of
from app.engine.answer.evidence import Evidence
from app.engine.answer.quotes.folded_text import tokens
from app.engine.answer.sources.values import StatedValue, values
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text import analysis
from app.engine.text.stopwords import FUNCTION_WORDS

MOST_VALUES = 3
LEAST_HELD = 0.6  # share of the question that a sentence holds
# "3. ", "(2) ", "Step 1: ", "Table 9.3. ": where something stands is not what it says.
_NUMBERED = re.compile(r"(?:[^\W\d_]+ )?\(?\d[\d.]*[.):]\s+")


@dataclass(frozen=True, slots=True)
class Claim:
    """The sentence [start, end) of a snapshot, by one of its values.

    `said` are the other words that say something, `small` the little ones ("in", "at", "not").
    """

    evidence: Evidence
    start: int
    end: int
    value: StatedValue
    said: frozenset[str]
    small: frozenset[str]

    @property
    def text(self) -> str:
        return self.evidence.snapshot[self.start : self.end]

    def contradicts(self, other: "Claim") -> bool:
        """True if another source gives another value in the same words; "in" may be "on"."""
        return (
            self.evidence.source != other.evidence.source
            and self.value.contradicts(other.value)
            and self.said == other.said
            and len(self.small - other.small) == len(other.small - self.small) <= 1
        )


def disagreeing(
    query: Query,
    passages: Sequence[tuple[Evidence, int, int]],
    overlap: Overlap,
) -> list[Claim]:
    """The claims that contradict each other, at most three, each of another value; or none.

    `passages` are slices of the snapshots of evidence, best first.
    """
    asked = {value.shown for value in values(query.text, query.language)}
    claims = [
        claim
        for evidence, start, end in passages
        for claim in _claims(evidence, start, end, overlap)
        if claim.value.shown not in asked
    ]
    for n, claim in enumerate(claims):
        found = [claim]
        for other in claims[n + 1 :]:
            if len(found) < MOST_VALUES and all(other.contradicts(x) for x in found):
                found.append(other)
        if len(found) > 1:
            return found
    return []


def _claims(evidence: Evidence, start: int, end: int, overlap: Overlap) -> Iterator[Claim]:
    """The values in sentences that hold enough of the question."""
    language = evidence.language
    for a, b in spans_of(evidence.snapshot[start:end], language):
        a, b = start + a, start + b
        number = _NUMBERED.match(evidence.snapshot, a, b)
        a = number.end() if number else a
        text = evidence.snapshot[a:b]
        found = values(text, language)
        if not found or overlap.coverage(analysis.terms(text, language), language) < LEAST_HELD:
            continue
        for value in found:
            rest = tokens(f"{text[: value.start]} {text[value.end :]}")
            words = frozenset(word for word, _, _ in rest)
            small = words & FUNCTION_WORDS
            yield Claim(evidence, a, b, value, words - small, small)
