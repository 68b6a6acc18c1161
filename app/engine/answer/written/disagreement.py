"""Values that the sources of a written answer give against each other, whatever the model says."""

from collections.abc import Sequence

from app.engine.answer.blocks.rendering import rendered
from app.engine.answer.blocks.sentences import answer_sentences
from app.engine.answer.evidence import Answer, Confidence
from app.engine.answer.extracts.extractive import with_contradiction
from app.engine.answer.sources.contradictions import Claim, disagreeing
from app.engine.answer.written.composition import GroundedQuote, Statement, compose
from app.engine.answer.written.selection import PassageRun
from app.engine.answer.written.writer import WrittenDraft
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer


def answer(
    query: Query,
    written: WrittenDraft,
    sources: Sequence[int],
    confidence: Confidence,
    stats: IndexStats,
    analyzer: Analyzer,
) -> Answer:
    """Makes an answer of what the model wrote, and where its passages disagree of the sentences
    that do: those it cites as it put them, the others as they stand on their pages.
    """
    claims = _claims(query, written.shown, stats, analyzer)
    uncited = [_statement(x) for x in claims if not _is_cited(x, written.statements)]
    if not all(x.text for x in uncited):
        claims, uncited = [], []
    composed = compose([*written.statements, *uncited], sources, confidence)
    return with_contradiction(composed, claims, query.language)


def _claims(
    query: Query, shown: Sequence[PassageRun], stats: IndexStats, analyzer: Analyzer
) -> list[Claim]:
    """Of all passages that the model was given, found or beside what was found."""
    cut = [
        (item, sentence)
        for run in shown
        for item in run.parts
        for sentence in answer_sentences(item, analyzer, query.text)
    ]
    return disagreeing(query, cut, Overlap(query, stats))


def _is_cited(claim: Claim, statements: Sequence[Statement]) -> bool:
    """True if a quote of the same sentence holds the value."""
    return any(
        quote.source == claim.evidence.source
        and quote.start < claim.sentence.end
        and claim.sentence.start < quote.end
        and claim.value.shown in quote.text
        for statement in statements
        for quote in statement.quotes
    )


def _statement(claim: Claim) -> Statement:
    item, start, end = claim.evidence, claim.sentence.start, claim.sentence.end
    text = rendered(item.snapshot, start, end)
    quote = GroundedQuote(
        item.snapshot,
        start,
        end,
        item.language,
        around="",
        source=item.source,
        match="exact" if text == claim.text else "normalised",
        heading_path=item.heading_path,
    )
    return Statement(text, (quote,), "verified")
