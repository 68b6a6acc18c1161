"""The answer without a model: the best passages of the sources, word for word, or none."""

import re
from collections.abc import Iterator, Sequence

from app.engine.answer.composition import compose, extracted, with_contradiction
from app.engine.answer.confidence import gate
from app.engine.answer.confidence.words import by_words
from app.engine.answer.evidence import Answer, Evidence, foremost
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.answer.phrases import NO_ANSWER
from app.engine.answer.sources.contradictions import disagreeing
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text import analysis

# Passages shown, and where these are hardly likely to hold what was asked for: one more.
FEW, MOST = 2, 3
NEAR = 0.23  # how much lower than the best another passage may score
COMPARED = 10  # best passages whose cosines say how far the nearest stands out


def answer(
    query: Query,
    evidence: Sequence[Evidence],
    stats: IndexStats,
    extracts: Extracts | None = None,
) -> Answer:
    """Answer a query from passages.

    The two best passages are shown, best first, and the third where these are hardly likely to hold
    what was asked for. When sources disagree, those that do are shown. When the passages do not
    pass the gate there is no answer.
    """
    best = sorted(evidence, key=lambda x: -x.score)
    order = list(dict.fromkeys(x.source for x in best))
    read = foremost(best)
    overlap = Overlap(query, stats)
    made = extracts or Extracts(query, overlap)
    showable = [extract for x in read if (extract := made.of(x))]
    scores = [x.evidence.score for x in showable]
    near = made.best([x.evidence for x in showable if x.evidence.score >= scores[0] - NEAR], MOST)
    shown = near[:FEW]
    cosine = gate.best_cosine(read)
    by_meaning = cosine is not None
    sources = _sources_answer(query, shown, showable, cosine, overlap) if shown else 0.0
    spread = gate.cosine_spread(best[:COMPARED]) if by_meaning else None
    margin = scores[0] - scores[1] if len(scores) > 1 else sum(scores)
    sure = gate.confidence(query, sources, margin, spread)
    if len(near) > FEW and sure.answer < gate.ENOUGH:
        shown = near
    if not (shown and gate.passes(query, sure.sources, by_meaning=by_meaning)):
        text = NO_ANSWER.get(query.language, NO_ANSWER["en"])
        return Answer(text, False, (), (), tuple(order), sure)
    slices = [(x.evidence, x.start, x.end) for x in showable]
    claims = disagreeing(query, slices, overlap)
    disputed = [extract for x in claims if (extract := made.of(x.evidence))]
    statements = [
        extracted(x.evidence, x.start, x.end, (x.lead_start, x.lead_end)) for x in disputed or shown
    ]
    written = compose(statements, order, sure, gap="\n\n")
    return with_contradiction(written, claims, query.language)


def _sources_answer(
    query: Query,
    shown: Sequence[Extract],
    showable: Sequence[Extract],
    cosine: float | None,
    overlap: Overlap,
) -> float:
    """The probability that they do; by words where no `cosine` is known."""
    if cosine is None:
        return by_words(query, [x.evidence for x in showable], overlap)
    leads = [(x.lead, x.evidence.language) for x in shown]
    held = max(overlap.coverage(analysis.terms(lead, code), code) for lead, code in leads)
    return gate.by_meaning(held, cosine)


def markers(text: str) -> Iterator[int]:
    return (int(x) for x in re.findall(r"\[(\d{1,9})\]", text))
