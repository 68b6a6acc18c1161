"""The pieces of a passage that can be cited: sentences, entries, list items, rows, listings.

Every unit is a slice of the stored snapshot. Some cannot stand alone and are widened: a lead-in
that ends in a colon takes the list or code under it, a description takes the term or signature it
stands under, a row its header, a sentence that begins with a pronoun the one before. What is
widened may reach a little beyond the passage. A heading or a question is context, never an answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.blocks import (
    ENDS_OPEN,
    ENDS_SENTENCE,
    Piece,
    block_under,
    is_header,
    is_row,
    looks_like_heading,
    steps_around,
    term_above,
    term_of_own,
)
from app.engine.answer.evidence import Evidence
from app.engine.pages.sentences import sentences
from app.engine.search.question_echo import restates
from app.engine.text.analysis import Analyzer

MAX_UNIT = 700  # code points, also after widening
MAX_ENTRY = 450  # of a term with the first of its description
_BEYOND = MAX_UNIT  # how far outside the passage a unit may be widened

_LEANS_BACK = re.compile(
    r"(?:it|its|this|that|these|those|they|their|he|she|his|her|such|the (?:former|latter|same)|"
    r"also|however|therefore|thus|then|"
    r"er|sie|es|dies|dieser?|dieses|diesen?|jene[rs]?|seine?|ihre?|dabei|damit|dadurch|daher|"
    r"il|elle|ils|elles|cela|ceci|cette|esto|este|esta|ello|questo|questa)\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"\d{1,2}[.)]\s")
_ASKS = re.compile(r"[?？؟][\"”'’)]*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A slice [start, end) of the snapshot, its terms, and those around it and of its headings.

    The sentence in question is [sentence_start, end); what stands before it makes it
    understandable.
    """

    start: int
    sentence_start: int
    end: int
    terms: tuple[str, ...]
    context: frozenset[str]
    headings: frozenset[str]
    ordinal: int


def units(evidence: Evidence, analyzer: Analyzer, question: str = "") -> list[Unit]:
    """The citable units of a passage in reading order.

    Headings, questions and what only repeats `question` are folded into the context; a line
    that is no sentence and has no word but those of `question` is left out.
    """
    snapshot = evidence.snapshot
    question_terms = frozenset(analyzer.terms(question, evidence.language))
    pieces = list(_pieces(evidence, analyzer, question))
    above = frozenset(
        analyzer.terms("\n".join([evidence.title, *evidence.headings]), evidence.language)
    )
    found: dict[tuple[int, int], Unit] = {}
    for i, piece in enumerate(pieces):
        outside = piece.start < evidence.start or evidence.end < piece.end
        if outside or piece.mute or term_of_own(snapshot, pieces, i):
            continue
        if is_header(snapshot, pieces, i):
            continue
        cut = _widen(snapshot, pieces, i)
        if ENDS_OPEN.search(snapshot, cut.start, cut.end) and i + 1 < len(pieces):
            continue  # a lead-in to what is too long to show
        name = tuple(term for x in pieces[slice(*cut.name)] for term in x.terms)
        headings = above.union(_heading_terms(pieces[:i]))
        context = headings.union(name, *(x.terms for x in pieces[max(0, i - 1) : i + 2]))
        inside = [x for x in pieces if cut.sentence_start <= x.start and x.end <= cut.end]
        if cut.start == cut.sentence_start:  # an entry is headed by its own name
            headings, name = headings.union(name), ()
        terms = (*name, *(term for x in inside for term in x.terms))
        if question_terms.issuperset(terms) and not ENDS_SENTENCE.search(
            snapshot, cut.start, cut.end
        ):
            continue  # "See also: X"
        unit = Unit(cut.start, cut.sentence_start, cut.end, terms, context, headings, len(found))
        found.setdefault((cut.start, cut.end), unit)
    return list(found.values())


def _pieces(evidence: Evidence, analyzer: Analyzer, question: str) -> Iterator[Piece]:
    """The sentences of the passage and of its surroundings, as far as units may reach."""
    snapshot = evidence.snapshot
    first, last = _surroundings(snapshot, evidence.start, evidence.end)
    text = snapshot[first:last]
    spans = sentences(text, evidence.language)
    headings = {evidence.title, *evidence.headings}
    for i, (start, end) in enumerate(spans):
        words = text[start:end]
        is_heading = words.lstrip("# ") in headings or looks_like_heading(text, spans, i)
        mute = is_heading or bool(_ASKS.search(words)) or restates(words, question, analyzer)
        terms = tuple(analyzer.terms(words, evidence.language))
        yield Piece(first + start, first + end, is_heading, mute, terms)


def _surroundings(snapshot: str, start: int, end: int) -> tuple[int, int]:
    """The passage, from the block it begins in to the last block that ends not far behind it."""
    top = snapshot.rfind("\n\n", max(0, start - _BEYOND), start)
    first = top + 2 if top >= 0 else 0 if start <= _BEYOND else start
    if end + _BEYOND >= len(snapshot):
        return first, len(snapshot)
    bottom = snapshot.rfind("\n", end, end + _BEYOND)
    return first, max(bottom, end)


def _heading_terms(before: Sequence[Piece]) -> tuple[str, ...]:
    return next((x.terms for x in reversed(before) if x.heading), ())


@dataclass(frozen=True, slots=True)
class _Cut:
    """The slice to cite, see `Unit`; `name` are the pieces of the term or signature it stands
    under.
    """

    start: int
    sentence_start: int
    end: int
    name: tuple[int, int] = (0, 0)


def _widen(snapshot: str, pieces: Sequence[Piece], i: int) -> _Cut:
    """The slice to cite for piece `i`; widening never takes it over MAX_UNIT."""
    start, end = pieces[i].start, pieces[i].end
    sentence = snapshot[start:end]
    if _STEP.match(sentence):
        start, end = steps_around(snapshot, pieces, i, MAX_UNIT)
        return _Cut(start, start, end)
    if is_row(sentence):
        headed = i > 0 and is_header(snapshot, pieces, i - 1)
        if headed and end - pieces[i - 1].start <= MAX_UNIT:
            start = pieces[i - 1].start
        return _Cut(start, start, end)
    if ENDS_OPEN.search(sentence):
        end = block_under(snapshot, pieces, i, MAX_UNIT)
    if i and _LEANS_BACK.match(sentence):
        previous = pieces[i - 1]
        same_paragraph = "\n" not in snapshot[previous.end : start]
        if same_paragraph and not previous.mute and end - previous.start <= MAX_UNIT:
            i, start = i - 1, previous.start
    return _under_its_name(pieces, term_above(snapshot, pieces, i), _Cut(start, start, end), i)


def _under_its_name(
    pieces: Sequence[Piece], entry: tuple[int, int] | None, cut: _Cut, i: int
) -> _Cut:
    """The cut with the term or signature above it, if both fit; the first sentence under a term
    is one thing with it."""
    if entry is None:
        return cut
    top, first = name = entry
    start = pieces[top].start
    if cut.end - start > max(MAX_ENTRY, cut.end - cut.start):
        return _Cut(cut.start, cut.sentence_start, cut.end, name)
    return _Cut(start, start if i == first else cut.sentence_start, cut.end, name)
