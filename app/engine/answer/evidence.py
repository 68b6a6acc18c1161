"""The material of an answer and the answer itself: passages of snapshots in, cited text out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

PASSAGES, PER_SOURCE = 5, 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """A retrieved passage: `snapshot[start:end]`, offsets in code points.

    `source` is the index of its source in the caller's list, `score` the one of `rescore`. `cosine`
    is how near it is to the question in meaning; None when that is not known, or on no known scale.
    """

    source: int
    snapshot: str
    start: int
    end: int
    score: float
    title: str = ""
    headings: tuple[str, ...] = ()
    language: str | None = None
    cosine: float | None = None


def foremost(evidence: Sequence[Evidence], most: int = PASSAGES) -> list[Evidence]:
    """The passages that are read for an answer: the five best, of one source at most three.

    When no other source has one left, a fourth and a fifth of one source are better than none.
    """
    chosen: list[Evidence] = []
    beyond: list[Evidence] = []
    taken: Counter[int] = Counter()
    best_first = sorted(evidence, key=lambda x: -x.score)
    for x in best_first:
        taken[x.source] += 1
        (chosen if taken[x.source] <= PER_SOURCE else beyond).append(x)
    first = [*chosen, *beyond][:most]
    return sorted(first, key=lambda x: -x.score)


@dataclass(frozen=True, slots=True)
class Citation:
    """Marker `[n]` of one extract, or of one quote of a sentence a model wrote.

    `quote == snapshot[start:end]` of source `source`, `answer[answer_start:answer_end]` is what the
    answer shows for it. `snapshot[lead_start:lead_end]`, which lies within the quote, is what
    answers. `match` is `exact` when both are equal, `normalised` when the extract was rendered:
    without the page's own note marks (`[3]`), rows of tables as "column: value", listings fenced.
    """

    n: int
    source: int
    quote: str
    start: int
    end: int
    lead_start: int
    lead_end: int
    prefix: str
    suffix: str
    answer_start: int
    answer_end: int
    match: Literal["exact", "normalised"]

    @property
    def lead(self) -> str:
        return self.quote[self.lead_start - self.start : self.lead_end - self.start]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Different values that independent sources give for what was asked, as their sentences say
    them, and the marker of each one's citation, in step."""

    values: tuple[str, ...]
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and where it is from.

    `sources` holds every source of the evidence, as indexes into the caller's list: the cited ones
    first in the order of their markers, then the others, best first. Marker `[n]` means
    `sources[n - 1]`. `confidence` is the probability that the best passage answers the question.
    `sentences` are the extracts as they are shown, or the sentences a model wrote.
    Without an answer, `text` says so, `sentences` and `citations` are empty, `sources` is kept.
    When sources contradict each other, `contradictions` holds what they say, and `text` ends with a
    sentence that says so, which is in none of `sentences` and `citations`.
    """

    text: str
    answered: bool
    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]
    sources: tuple[int, ...]
    confidence: float
    contradictions: tuple[Contradiction, ...] = ()
