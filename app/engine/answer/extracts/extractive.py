"""The answer without a model: one or two extracts of the sources, word for word, or none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.engine.answer.blocks.rendering import rendered
from app.engine.answer.blocks.units import Unit, units
from app.engine.answer.confidence.gate import best_cosine, confidence, passes
from app.engine.answer.confidence.questions import asked_for
from app.engine.answer.confidence.sentence_scores import score_units
from app.engine.answer.evidence import Answer, Citation, Contradiction, Evidence, foremost
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.answer.phrases import DISAGREE, NO_ANSWER
from app.engine.answer.sources.contradictions import READERS, Claim, disagreeing
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer

MOST_EXTRACTS = 2
NEAR = 0.15  # how much lower a second extract may score
CONTEXT = 32  # code points of prefix and suffix

Read = Sequence[tuple[Evidence, Sequence[Unit]]]


def answer(
    query: Query,
    evidence: Sequence[Evidence],
    stats: IndexStats,
    analyzer: Analyzer,
    extracts: Extracts | None = None,
) -> Answer:
    """Answer a query from passages.

    The best extract of the foremost passages is shown, and a second one that is nearly as good;
    those of one source in reading order. When sources disagree, the extracts that do are shown.
    When the passages do not pass the gate there is no answer.
    """
    best = sorted(evidence, key=lambda x: -x.score)
    order = list(dict.fromkeys(x.source for x in best))
    foremost_passages = foremost(best)
    read = [(x, units(x, analyzer, query.text)) for x in foremost_passages]
    overlap = Overlap(query, stats)
    probability = confidence(query, read, [x.score for x in foremost_passages], overlap, analyzer)
    by_meaning = best_cosine(foremost_passages) is not None
    passed = passes(query, probability, by_meaning=by_meaning)
    made = extracts or Extracts(query, overlap, analyzer)
    shown = _choose(made, foremost_passages) if passed else []
    if not shown:
        text = NO_ANSWER.get(query.language, NO_ANSWER["en"])
        return Answer(text, False, (), (), tuple(order), probability)
    claims = _disagreeing(query, read, made, overlap)
    disputed = [extract for x in claims if (extract := made.of(x.evidence))]
    written = _write(disputed or shown, order, probability)
    return with_contradiction(written, claims, query.language)


def _choose(extracts: Extracts, read: Sequence[Evidence]) -> list[Extract]:
    best = [x for x in extracts.best(read, MOST_EXTRACTS) if _shown(x)]
    return [x for x in best if x.score >= best[0].score - NEAR]


def _disagreeing(query: Query, read: Read, extracts: Extracts, overlap: Overlap) -> list[Claim]:
    """Returns what sentences of the extracts say against each other."""
    kind = asked_for(query.text)
    if kind not in READERS:
        return []
    inside = [
        (evidence, unit)
        for evidence, cut in read
        if (extract := extracts.of(evidence))
        for unit in cut
        if extract.start <= unit.start and unit.end <= extract.end
    ]
    scored = score_units(query, kind, inside, overlap)
    return disagreeing(query, kind, [(x.evidence, x.unit, x.probability) for x in scored])


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


def _write(chosen: Sequence[Extract], order: Sequence[int], confidence: float) -> Answer:
    cited = list(dict.fromkeys(x.evidence.source for x in chosen))  # best first
    numbered = [*cited, *(x for x in order if x not in cited)]
    in_order = sorted(chosen, key=lambda x: (cited.index(x.evidence.source), x.start))
    text = ""
    citations = []
    for extract in in_order:
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
    )


def _mark(shown: str, n: int) -> str:
    """The marker behind an extract; under a listing, where it would become part of it."""
    return f"\n[{n}]" if shown.endswith("```") else f" [{n}]"


def markers(text: str) -> Iterator[int]:
    """The numbers of the markers in a text, in order."""
    return (int(x) for x in re.findall(r"\[(\d+)\]", text))
