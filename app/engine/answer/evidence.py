"""The material of an answer and the answer itself: passages of snapshots in, cited text out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Match = Literal["exact", "normalised"]
Shown = Literal["verified", "lexical"]

PASSAGES = 5
MOST_HEADINGS, HEADING_CHARACTERS = 6, 200


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

    @property
    def text(self) -> str:
        return self.snapshot[self.start : self.end]

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The innermost headings above it, outermost first, as they are shown."""
        return tuple(heading[:HEADING_CHARACTERS] for heading in self.headings[-MOST_HEADINGS:])


def foremost(evidence: Sequence[Evidence], most: int = PASSAGES) -> list[Evidence]:
    """The passages that are read for an answer: the five best."""
    return sorted(evidence, key=lambda x: -x.score)[:most]


@dataclass(frozen=True, slots=True)
class Citation:
    """Marker `[n]` of one extract, or of one quote of a sentence a model wrote.

    `quote == snapshot[start:end]` of source `source`, `answer[answer_start:answer_end]` is what the
    answer shows for it. `snapshot[lead_start:lead_end]`, which lies within the quote, is what
    answers; `headings` are those above it, outermost first. `match` is `exact` when both are equal,
    `normalised` when the extract was rendered: without the page's own note marks (`[3]`), rows of
    tables as "column: value", listings fenced. Of a written sentence it is `exact` when the model's
    quote stood on the page letter by letter. `support` is that of the sentence by all its quotes.
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
    match: Match
    headings: tuple[str, ...] = field(default=(), kw_only=True)
    support: Shown = field(default="verified", kw_only=True)

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
class Confidence:
    """Two probabilities, 0 to 1: that the answer shown is right, and that the sources answer.

    The first is that of the passages which would be shown when there is no answer, and of those it
    was written from when a model wrote it.
    """

    answer: float
    sources: float


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and where it is from.

    `sources` holds every source of the evidence, as indexes into the caller's list: the cited ones
    first in the order of their markers, then the others, best first. Marker `[n]` means
    `sources[n - 1]`. `sentences` are the extracts as they are shown, or those that a model wrote.
    Without an answer, `text` says so, `sentences` and `citations` are empty, `sources` is kept.
    When sources contradict each other, `contradictions` holds what they say, and `text` ends with a
    sentence that says so, which is in none of `sentences` and `citations`.
    """

    text: str
    answered: bool
    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]
    sources: tuple[int, ...]
    confidence: Confidence
    contradictions: tuple[Contradiction, ...] = ()
