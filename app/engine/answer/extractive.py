"""The answer without a model: one to four sentences of the sources, word for word, or none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.engine.answer.blocks import ENDS_SENTENCE, is_row
from app.engine.answer.contradictions import Claim, disagreeing
from app.engine.answer.evidence import Answer, Citation, Contradiction, Evidence, foremost
from app.engine.answer.gate import best_cosine, confidence, passes
from app.engine.answer.question_words import Asked
from app.engine.answer.questions import UNSURE, asked_for, offers
from app.engine.answer.tables import as_pairs
from app.engine.answer.units import Unit, units
from app.engine.answer.wording import DISAGREE, NO_ANSWER
from app.engine.pages.passages import count_words
from app.engine.retrieval.interface import Stats
from app.engine.retrieval.overlap import Overlap, sigmoid
from app.engine.retrieval.query import Query
from app.engine.text.analysis import Analyzer

MAX_SENTENCES = 4
MAX_WORDS = 90
# Of the best sentence's probability: a further one below it is left out. What surely answers is not
# padded; when nothing does, a second sentence doubles the chance that the answer is there.
MUCH_WEAKER = 0.26
WEAKER, SURE = 0.4, 0.7
ENOUGH = 0.75  # probability that the chosen sentences hold the answer
REPEATED = 0.8  # Jaccard similarity of two sentences' terms
CONTEXT = 32  # code points of prefix and suffix


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit with its features (each 0 to 1) and the probability that it holds the answer."""

    evidence: Evidence
    unit: Unit
    features: tuple[float, ...]
    probability: float


# Logistic weights, fitted on one half of the articles of xquad (English and German), all positive
# but the bias: coverage, bigrams, kind of answer, passage score, coverage with
# surroundings. The last, coverage by headings alone, was set by hand: xquad has none.
WEIGHTS = (3.0, 1.5, 0.8, 2.5, 1.2, 1.0)
BIAS = -6.4
FRAGMENT = 1.0  # taken from what is a bare line: a signature, a label, a piece of a command


def answer(query: Query, evidence: Sequence[Evidence], stats: Stats, analyzer: Analyzer) -> Answer:
    """Answer a query from passages.

    Sentences are taken by probability until one of them holds the answer with probability .75, at
    most four, repeats left out; sources come in the order of their best sentence, sentences of one
    source in reading order. When no passage reaches the relevance gate there is no answer.
    """
    best = sorted(evidence, key=lambda x: -x.score)
    order = list(dict.fromkeys(x.source for x in best))
    read = foremost(best)
    cut = [(x, units(x, analyzer, query.text)) for x in read]
    overlap = Overlap(query, stats)
    sure = confidence(query, cut, [x.score for x in read], overlap, analyzer)
    passed = passes(query, sure, by_meaning=best_cosine(read) is not None)
    scored = score_units(query, cut, overlap) if passed else []
    if not scored:
        text = NO_ANSWER.get(query.language, NO_ANSWER["en"])
        return Answer(text, False, (), (), tuple(order), sure)
    claims = disagreeing(
        query, asked_for(query.text), [(x.evidence, x.unit, x.probability) for x in scored]
    )
    disputed = [(x.evidence, x.unit) for x in claims]
    chosen = [x for x in scored if (x.evidence, x.unit) in disputed] or _choose(scored)
    return _with_contradiction(_write(chosen, order, sure), claims, query.language)


def _with_contradiction(answer: Answer, claims: Sequence[Claim], language: str) -> Answer:
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


def score_units(
    query: Query, cut: Sequence[tuple[Evidence, Sequence[Unit]]], overlap: Overlap
) -> list[Scored]:
    """Every unit with its probability of holding the answer, most probable first."""
    kind = asked_for(query.text)
    top = max((evidence.score for evidence, _ in cut), default=0.0) or 1.0
    scored = []
    for evidence, found in cut:
        for unit in found:
            features = _features(query, kind, evidence, unit, overlap, top)
            total = BIAS + sum(w * x for w, x in zip(WEIGHTS, features, strict=True))
            total -= FRAGMENT * _is_fragment(evidence, unit)
            scored.append(Scored(evidence, unit, features, sigmoid(total)))
    return sorted(scored, key=lambda x: -x.probability)


def _is_fragment(evidence: Evidence, unit: Unit) -> bool:
    """Whether it is one line that is neither a sentence nor a row nor an item of a list."""
    text = evidence.snapshot[unit.start : unit.end]
    return not _has_form(text) and not ENDS_SENTENCE.search(text)


def _features(
    query: Query, kind: Asked, evidence: Evidence, unit: Unit, overlap: Overlap, top: float
) -> tuple[float, ...]:
    language = evidence.language
    sentence = evidence.snapshot[unit.sentence_start : unit.end]
    return (
        overlap.coverage(unit.terms, language),
        overlap.bigram(unit.terms, language),
        offers(kind, sentence, query.text),
        evidence.score / top,
        overlap.coverage(unit.context, language),
        overlap.coverage(unit.headings, language),
    )


def _choose(scored: Sequence[Scored]) -> list[Scored]:
    chosen: list[Scored] = []
    missing, words = 1.0, 0.0
    best = scored[0].probability if scored else 0.0
    least = best * (WEAKER if best >= SURE else MUCH_WEAKER)
    for x in scored:
        if x.probability < least:
            break
        length = count_words(_text(x))
        if chosen and not _says_something(x):
            continue
        if any(_repeats(x, y) for y in chosen) or (chosen and words + length > MAX_WORDS):
            continue
        chosen.append(x)
        missing *= 1 - x.probability
        words += length
        if 1 - missing >= ENOUGH or len(chosen) == MAX_SENTENCES:
            break
    return chosen


def _says_something(x: Scored) -> bool:
    """Whether a further sentence holds a word of the question or the kind of thing it asks for."""
    coverage, _, offered, *_ = x.features
    return coverage > 0 or offered > UNSURE


def _text(x: Scored) -> str:
    return x.evidence.snapshot[x.unit.start : x.unit.end]


def _repeats(a: Scored, b: Scored) -> bool:
    if a.evidence.source == b.evidence.source:
        return a.unit.start < b.unit.end and b.unit.start < a.unit.end
    left, right = set(a.unit.terms), set(b.unit.terms)
    return len(left & right) >= REPEATED * len(left | right)


def _write(chosen: Sequence[Scored], order: Sequence[int], confidence: float) -> Answer:
    cited = list(dict.fromkeys(x.evidence.source for x in chosen))  # most probable first
    numbered = [*cited, *(x for x in order if x not in cited)]
    in_order = sorted(chosen, key=lambda x: (cited.index(x.evidence.source), x.unit.start))
    text, last_quote = "", ""
    citations = []
    for x in in_order:
        text += _gap(last_quote, _text(x))
        shown, n = _shown(x), numbered.index(x.evidence.source) + 1
        citations.append(_cite(x, n, len(text), shown))
        text += shown + _mark(shown, n)
        last_quote = _text(x)
    sentences = tuple(text[c.answer_start : c.answer_end] for c in citations)
    return Answer(text, True, sentences, tuple(citations), tuple(numbered), confidence)


def _cite(x: Scored, n: int, answer_start: int, shown: str) -> Citation:
    snapshot, start, end = x.evidence.snapshot, x.unit.start, x.unit.end
    quote = snapshot[start:end]
    return Citation(
        n=n,
        source=x.evidence.source,
        quote=quote,
        start=start,
        end=end,
        lead_start=start,
        lead_end=end,
        prefix=snapshot[max(0, start - CONTEXT) : start],
        suffix=snapshot[end : end + CONTEXT],
        answer_start=answer_start,
        answer_end=answer_start + len(shown),
        match="exact" if shown == quote else "normalised",
    )


def _shown(x: Scored) -> str:
    """The quote as a reader wants it: rows as "column: value", without what reads as a marker."""
    pairs = as_pairs(x.evidence.snapshot, x.unit.start, x.unit.end)
    return without_note_marks(pairs or _text(x))


def _gap(last_quote: str, quote: str) -> str:
    """Prose goes on behind prose; what has lines of its own keeps them."""
    if not last_quote:
        return ""
    return "\n\n" if _has_form(quote) or _has_form(last_quote) else " "


def _has_form(text: str) -> bool:
    return "\n" in text or is_row(text) or bool(_ITEM.match(text))


def _mark(shown: str, n: int) -> str:
    """The marker behind a sentence; under what may be code, where it would become part of it."""
    listing = "\n" in shown and not ENDS_SENTENCE.search(shown)
    return f"{chr(10) if listing else ' '}[{n}]"


_ITEM = re.compile(r"(?:[-*•–]|\d{1,3}[.)]) ")
_MARK = re.compile(r"(?P<lead>.?)\[(?P<number>\d+)\]", re.DOTALL)
_CODE_SIGNS = re.compile(r"[=;{}]|\w\(|\w_\w|\[\d*[:\"']")


def without_note_marks(sentence: str) -> str:
    """The sentence without anything that reads as a marker of ours.

    A page's note mark (`…in 1998.[3]`) goes; an index in code (`argv[1]`) is spaced: `argv[ 1 ]`.
    """
    in_code = bool(_CODE_SIGNS.search(sentence))

    def replace(mark: re.Match[str]) -> str:
        lead, number = mark["lead"], mark["number"]
        if number == "0" or (in_code and re.match(r"[\w\])\"']", lead)):
            return f"{lead}[ {number} ]"
        return lead.rstrip(" ")

    previous = ""
    while previous != sentence:  # marks in a row share a character: "[1][2]"
        previous, sentence = sentence, _MARK.sub(replace, sentence)
    return sentence.strip()


def markers(text: str) -> Iterator[int]:
    """The numbers of the markers in a text, in order."""
    return (int(x) for x in re.findall(r"\[(\d+)\]", text))
