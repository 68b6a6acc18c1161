"""The answer without a model: the best passages of the sources, word for word, or none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.engine.answer.blocks.rendering import rendered
from app.engine.answer.blocks.sentences import answer_sentences
from app.engine.answer.confidence import gate
from app.engine.answer.confidence.words import by_words
from app.engine.answer.evidence import (
    Answer,
    Citation,
    Confidence,
    Contradiction,
    Evidence,
    foremost,
)
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.answer.phrases import DISAGREE, NO_ANSWER
from app.engine.answer.sources.contradictions import Claim, disagreeing
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer

# Passages shown, and where these are hardly likely to hold what was asked for: one more.
FEW, MOST = 2, 3
NEAR = 0.23  # how much lower than the best another passage may score
COMPARED = 10  # best passages whose cosines say how far the nearest stands out
CONTEXT = 32  # code points of prefix and suffix


def answer(
    query: Query,
    evidence: Sequence[Evidence],
    stats: IndexStats,
    analyzer: Analyzer,
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
    made = extracts or Extracts(query, overlap, analyzer)
    showable = [x for x in read if made.of(x)]
    near = _choose(made, showable)
    shown = near[:FEW]
    cosine = gate.best_cosine(read)
    sources = _sources_answer(query, shown, read, cosine, overlap, analyzer)
    by_meaning = cosine is not None
    spread = gate.cosine_spread(best[:COMPARED]) if by_meaning else None
    margin = _margin(shown, showable)
    sure = gate.confidence(query, sources, margin, spread)
    if len(near) > FEW and sure.answer < gate.ENOUGH:
        shown = near
        sure = gate.confidence(query, sources, margin, spread, third=True)
    if not (shown and gate.passes(query, sure.sources, by_meaning=by_meaning)):
        text = NO_ANSWER.get(query.language, NO_ANSWER["en"])
        return Answer(text, False, (), (), tuple(order), sure)
    claims = _disagreeing(query, read, made, overlap, analyzer)
    disputed = [extract for x in claims if (extract := made.of(x.evidence))]
    written = _write(disputed or shown, order, sure)
    return with_contradiction(written, claims, query.language)


def _choose(extracts: Extracts, showable: Sequence[Evidence]) -> list[Extract]:
    """The best one, and the next that score nearly as well.

    What cannot be shown ("See Installation.") is no measure for what can, however well it scores;
    and what quotes the question, an example of how to ask, adds nothing to what answers it.
    """
    if not showable:
        return []
    best, *others = showable
    near = [x for x in others if x.score >= best.score - NEAR and not extracts.restates(x)]
    return extracts.best([best, *near], MOST)


def _sources_answer(
    query: Query,
    shown: Sequence[Extract],
    read: Sequence[Evidence],
    cosine: float | None,
    overlap: Overlap,
    analyzer: Analyzer,
) -> float:
    """The probability that they do; by words where no `cosine` is known, 0 if nothing is shown."""
    if not shown:
        return 0.0
    if cosine is None:
        return by_words(query, read, overlap, analyzer)
    leads = [(x.lead, x.evidence.language) for x in shown]
    held = max(overlap.coverage(analyzer.terms(lead, code), code) for lead, code in leads)
    return gate.by_meaning(held, cosine)


def _margin(shown: Sequence[Extract], showable: Sequence[Evidence]) -> float:
    """Returns how far the first one shown scores above the others that could be shown."""
    if not shown:
        return 0.0
    first = shown[0].evidence
    return first.score - max((x.score for x in showable if x is not first), default=0.0)


def _disagreeing(
    query: Query,
    read: Sequence[Evidence],
    extracts: Extracts,
    overlap: Overlap,
    analyzer: Analyzer,
) -> list[Claim]:
    """Returns what sentences of the extracts say against each other."""
    inside = [
        (evidence, sentence)
        for evidence in read
        if (extract := extracts.of(evidence))
        for sentence in answer_sentences(evidence, analyzer, query.text)
        if extract.start <= sentence.start and sentence.end <= extract.end
    ]
    return disagreeing(query, inside, overlap)


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


def _write(chosen: Sequence[Extract], order: Sequence[int], confidence: Confidence) -> Answer:
    cited = list(dict.fromkeys(x.evidence.source for x in chosen))  # best first
    numbered = [*cited, *(x for x in order if x not in cited)]
    text = ""
    citations = []
    for extract in chosen:
        text += "\n\n" if text else ""
        shown, n = _shown(extract), numbered.index(extract.evidence.source) + 1
        citations.append(_cite(extract, n, len(text), shown))
        text += shown + _mark(shown, n)
    sentences = tuple(text[c.answer_start : c.answer_end] for c in citations)
    return Answer(text, True, sentences, tuple(citations), tuple(numbered), confidence)


def _shown(extract: Extract) -> str:
    return rendered(extract.evidence.snapshot, extract.start, extract.end)


def _cite(extract: Extract, n: int, answer_start: int, shown: str) -> Citation:
    snapshot, start, end = extract.evidence.snapshot, extract.start, extract.end
    quote = snapshot[start:end]
    return Citation(
        n=n,
        source=extract.evidence.source,
        quote=quote,
        start=start,
        end=end,
        lead_start=extract.lead_start,
        lead_end=extract.lead_end,
        prefix=snapshot[max(0, start - CONTEXT) : start],
        suffix=snapshot[end : end + CONTEXT],
        answer_start=answer_start,
        answer_end=answer_start + len(shown),
        match="exact" if shown == quote else "normalised",
        headings=extract.evidence.heading_path,
    )


def _mark(shown: str, n: int) -> str:
    """The marker behind an extract; under a listing, where it would become part of it."""
    return f"\n[{n}]" if shown.endswith("```") else f" [{n}]"


def markers(text: str) -> Iterator[int]:
    """The numbers of the markers in a text, in order."""
    return (int(x) for x in re.findall(r"\[(\d+)\]", text))
