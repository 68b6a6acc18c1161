"""The pieces of a passage that can be cited: sentences, list items, table rows, code lines.

Every unit is a slice of the stored snapshot. Some cannot stand alone and are widened: a lead-in
that ends in a colon takes the list or code under it, a sentence that begins with a pronoun takes
the one before. A heading is context, never an answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.engine.answer.evidence import Evidence
from app.engine.pages.sentences import sentences
from app.engine.text.analysis import Analyzer

MAX_UNIT = 700  # code points, also after widening
MAX_LINES = 8  # taken after a colon
_HEADING_WORDS = 14

_MARKDOWN_HEADING = re.compile(r"#{1,6}\s")
_ENDS_OPEN = re.compile(r"[:：]\**$")
_ENDS_SENTENCE = re.compile(r"[.!?…:;,。！？؟।|)\]}>\"'”»`]$")
_LEANS_BACK = re.compile(
    r"(?:it|its|this|that|these|those|they|their|he|she|his|her|such|the (?:former|latter|same)|"
    r"also|however|therefore|thus|then|"
    r"er|sie|es|dies|dieser?|dieses|diesen?|jene[rs]?|seine?|ihre?|dabei|damit|dadurch|daher|"
    r"il|elle|ils|elles|cela|ceci|cette|esto|este|esta|ello|questo|questa)\b",
    re.IGNORECASE,
)
_CODE_SIGNS = re.compile(r"\s--?\w|[=<>{};|]|\w_\w|\$\w")
_STEP = re.compile(r"\d{1,2}[.)]\s")
_BEGINS_LIKE_CODE = re.compile(r"(?:[-*•–]|\d+[.)]|[$>#./@{}\[\]()]|\w+[ ]?[=({\[]|--?\w|\s)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A slice [start, end) of the snapshot, its terms, and those of its surroundings."""

    start: int
    end: int
    terms: tuple[str, ...]
    context: frozenset[str]
    ordinal: int


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    heading: bool
    terms: tuple[str, ...]


def units(evidence: Evidence, analyzer: Analyzer) -> list[Unit]:
    """The citable units of a passage in reading order; headings are folded into the context."""
    pieces = list(_pieces(evidence, analyzer))
    above = analyzer.terms("\n".join([evidence.title, *evidence.headings]), evidence.language)
    found: list[Unit] = []
    for i, piece in enumerate(pieces):
        if piece.heading:
            continue
        near = pieces[max(0, i - 1) : i + 2]
        context = frozenset(above).union(*(x.terms for x in near), _heading_terms(pieces[:i]))
        start, end = _widen(evidence.snapshot, pieces, i)
        inside = [x for x in pieces if start <= x.start and x.end <= end]
        terms = tuple(term for x in inside for term in x.terms)
        found.append(Unit(start, end, terms, context, len(found)))
    return found


def _pieces(evidence: Evidence, analyzer: Analyzer) -> Iterator[_Piece]:
    text = evidence.snapshot[evidence.start : evidence.end]
    spans = sentences(text, evidence.language)
    headings = {evidence.title, *evidence.headings}
    for i, (start, end) in enumerate(spans):
        words = text[start:end]
        is_heading = words.lstrip("# ") in headings or _looks_like_heading(text, spans, i)
        terms = tuple(analyzer.terms(words, evidence.language))
        yield _Piece(evidence.start + start, evidence.start + end, is_heading, terms)


def _looks_like_heading(text: str, spans: Sequence[tuple[int, int]], i: int) -> bool:
    """A short line of its own between blank lines, without a stop, with something under it."""
    start, end = spans[i]
    line = text[start:end]
    if _MARKDOWN_HEADING.match(line):
        return True
    alone = text[:start].rstrip(" ").endswith("\n\n") or not text[:start].strip()
    return (
        alone
        and text[end:].startswith("\n")
        and i + 1 < len(spans)
        and len(line.split()) <= _HEADING_WORDS
        and not _ENDS_SENTENCE.search(line)
        and not _BEGINS_LIKE_CODE.match(line)
        and not (i and _ENDS_OPEN.search(text[slice(*spans[i - 1])]))  # code under a lead-in
        and not _CODE_SIGNS.search(line)
    )


def _heading_terms(before: Sequence[_Piece]) -> tuple[str, ...]:
    return next((x.terms for x in reversed(before) if x.heading), ())


def _widen(snapshot: str, pieces: Sequence[_Piece], i: int) -> tuple[int, int]:
    """The slice to cite for piece `i`; widening never takes it over MAX_UNIT."""
    start, end = pieces[i].start, pieces[i].end
    sentence = snapshot[start:end]
    if _ENDS_OPEN.search(sentence):
        return start, _end_of_block(snapshot, pieces, i)
    if _STEP.match(sentence):
        return _steps_around(snapshot, pieces, i)
    if i and _LEANS_BACK.match(sentence):
        previous = pieces[i - 1]
        same_paragraph = "\n" not in snapshot[previous.end : start]
        if same_paragraph and not previous.heading and end - previous.start <= MAX_UNIT:
            return previous.start, end
    return start, end


def _end_of_block(snapshot: str, pieces: Sequence[_Piece], i: int) -> int:
    """Where the list or code under a lead-in ends."""
    start, end = pieces[i].start, pieces[i].end
    for piece in pieces[i + 1 : i + 1 + MAX_LINES]:
        if piece.heading or piece.end - start > MAX_UNIT or _new_prose(snapshot, end, piece):
            break
        end = piece.end
    return end


def _new_prose(snapshot: str, end: int, piece: _Piece) -> bool:
    """Whether the list or code under a lead-in is over: a blank line, then a full sentence."""
    line = snapshot[piece.start : piece.end]
    after_blank = snapshot[end : piece.start].count("\n") > 1
    prose = line.endswith((".", "!", "?")) and not _BEGINS_LIKE_CODE.match(line)
    return after_blank and prose


def _steps_around(snapshot: str, pieces: Sequence[_Piece], i: int) -> tuple[int, int]:
    """The numbered steps of which piece `i` is one, from the first, as far as they fit."""
    first = i
    while first and i - first < MAX_LINES and _is_step(snapshot, pieces[first - 1]):
        first -= 1
    if pieces[i].end - pieces[first].start > MAX_UNIT:
        first = i
    start, end = pieces[first].start, pieces[i].end
    for piece in pieces[i + 1 : first + MAX_LINES]:
        if not _is_step(snapshot, piece) or piece.end - start > MAX_UNIT:
            break
        end = piece.end
    return start, end


def _is_step(snapshot: str, piece: _Piece) -> bool:
    return bool(_STEP.match(snapshot, piece.start, piece.end))
