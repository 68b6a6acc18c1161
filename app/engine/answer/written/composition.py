"""The written answer: what survived, renumbered, every marker set by us."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.engine.answer.evidence import Answer, Citation, Confidence
from app.engine.answer.extracts.extractive import CONTEXT
from app.engine.answer.quotes.grounding import Match
from app.engine.answer.support.support import SupportQuote

Shown = Literal["verified", "lexical"]


@dataclass(frozen=True, slots=True)
class SupportedCitation(Citation):
    """A citation of a written sentence.

    `match` is `exact` when the model's quote stood on the page letter by letter. `support` is that
    of the sentence by all its citations together.
    """

    support: Shown


@dataclass(frozen=True, slots=True)
class GroundedQuote(SupportQuote):
    """A quote of source `source` (the caller's index) that stands on its page."""

    source: int
    match: Match
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that may be shown, with the quotes that bear it out (at least one).

    `direct` when it is of the draft's first one, which answers directly.
    """

    text: str
    quotes: tuple[GroundedQuote, ...]
    support: Shown
    direct: bool = False


def compose(
    statements: Sequence[Statement], sources: Sequence[int], confidence: Confidence
) -> Answer:
    """Put statements together. `sources` are all sources, best first; the cited ones go before."""
    cited = list(dict.fromkeys(quote.source for x in statements for quote in x.quotes))
    numbered = [*cited, *(source for source in sources if source not in cited)]
    text, citations = "", []
    for statement in statements:
        start = len(text) + bool(text)
        end = start + len(statement.text)
        for quote in statement.quotes:
            n = numbered.index(quote.source) + 1
            citations.append(_cite(quote, n, start, end, statement.support))
        markers = dict.fromkeys(f"[{numbered.index(x.source) + 1}]" for x in statement.quotes)
        text = f"{text} {statement.text} {''.join(markers)}".lstrip()
    shown = tuple(statement.text for statement in statements)
    return Answer(text, True, shown, tuple(citations), tuple(numbered), confidence)


def _cite(
    quote: GroundedQuote, n: int, answer_start: int, answer_end: int, support: Shown
) -> SupportedCitation:
    snapshot, start, end = quote.snapshot, quote.start, quote.end
    return SupportedCitation(
        n=n,
        source=quote.source,
        quote=quote.text,
        start=start,
        end=end,
        lead_start=start,
        lead_end=end,
        prefix=snapshot[max(0, start - CONTEXT) : start],
        suffix=snapshot[end : end + CONTEXT],
        answer_start=answer_start,
        answer_end=answer_end,
        match=quote.match,
        headings=quote.heading_path,
        support=support,
    )
