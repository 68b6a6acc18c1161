"""An answer put together from statements and their quotes, with every marker set by us."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.engine.answer.blocks.rendering import rendered
from app.engine.answer.evidence import (
    Answer,
    Citation,
    Confidence,
    Contradiction,
    Evidence,
    Match,
    Shown,
)
from app.engine.answer.phrases import DISAGREE
from app.engine.answer.sources.contradictions import Claim
from app.engine.answer.support.support import SupportQuote

CONTEXT = 32  # code points of prefix and suffix


@dataclass(frozen=True, slots=True)
class GroundedQuote(SupportQuote):
    """A quote of source `source` (the caller's index) that stands on its page; `lead` is the slice
    in it that answers, all of it where None."""

    source: int
    match: Match
    heading_path: tuple[str, ...]
    lead: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A text that may be shown, with the quotes that bear it out (at least one).

    `direct` when it is of a draft's first sentence, which answers directly.
    """

    text: str
    quotes: tuple[GroundedQuote, ...]
    support: Shown
    direct: bool = False


def extracted(
    evidence: Evidence, start: int, end: int, lead: tuple[int, int] | None = None
) -> Statement:
    """A slice of a passage's snapshot as it is shown, which bears itself out."""
    snapshot = evidence.snapshot
    text = rendered(snapshot, start, end)
    match: Match = "exact" if text == snapshot[start:end] else "normalised"
    place = (snapshot, start, end, evidence.language, "")
    quote = GroundedQuote(*place, evidence.source, match, evidence.heading_path, lead)
    return Statement(text, (quote,), "verified")


def compose(
    statements: Sequence[Statement],
    sources: Sequence[int],
    confidence: Confidence,
    gap: str = " ",
) -> Answer:
    """Put statements together. `sources` are all sources, best first; the cited ones go before."""
    cited = list(dict.fromkeys(quote.source for x in statements for quote in x.quotes))
    numbered = [*cited, *(source for source in sources if source not in cited)]
    text, citations = "", []
    for statement in statements:
        text += gap if text else ""
        start = len(text)
        text += statement.text
        numbers = [numbered.index(quote.source) + 1 for quote in statement.quotes]
        for quote, n in zip(statement.quotes, numbers, strict=True):
            citations.append(_cite(quote, n, start, len(text), statement.support))
        # Under a listing, where it would become part of it.
        text += "\n" if statement.text.endswith("```") else " "
        text += "".join(f"[{n}]" for n in dict.fromkeys(numbers))
    shown = tuple(statement.text for statement in statements)
    return Answer(text, True, shown, tuple(citations), tuple(numbered), confidence)


def _cite(
    quote: GroundedQuote, n: int, answer_start: int, answer_end: int, support: Shown
) -> Citation:
    snapshot, start, end = quote.snapshot, quote.start, quote.end
    lead_start, lead_end = quote.lead or (start, end)
    return Citation(
        n=n,
        source=quote.source,
        quote=quote.text,
        start=start,
        end=end,
        lead_start=lead_start,
        lead_end=lead_end,
        prefix=snapshot[max(0, start - CONTEXT) : start],
        suffix=snapshot[end : end + CONTEXT],
        answer_start=answer_start,
        answer_end=answer_end,
        match=quote.match,
        headings=quote.heading_path,
        support=support,
    )


def with_contradiction(answer: Answer, claims: Sequence[Claim], language: str) -> Answer:
    """The answer with a sentence of its own that says which values the sources give."""
    if not claims:
        return answer
    values = tuple(x.value.shown for x in claims)
    numbers = tuple(answer.sources.index(x.evidence.source) + 1 for x in claims)
    disagreement = DISAGREE.get(language, DISAGREE["en"]).format(values=" / ".join(values))
    return replace(
        answer,
        text=f"{answer.text}\n\n{disagreement}",
        contradictions=(Contradiction(values, numbers),),
    )
