"""Passages as they are shown: the block that answers, and around it what makes it readable.

An extract is one verbatim slice of a snapshot. It may leave the passage, which was cut for the
index, but never its section. Blocks are shown whole, and none without what it belongs to.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.engine.answer.blocks.pieces import MOST_CHARACTERS, Piece, in_pieces
from app.engine.answer.blocks.sections import MOST_WHOLE, section
from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.leads import Leads
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer

ENOUGH, MOST = 60, 120  # words
ENTRY = 30  # words of a definition entry that can be read alone
BEST_BLOCK = 0.6  # what the best block adds to the score of its passage
REPEATED = 0.8  # Jaccard similarity of two extracts' terms

A_SENTENCE = 8  # words; a paragraph of so many that stops at a word goes on below
_UNFINISHED = re.compile(r"(?<=[^\n]{40})[a-z,]$")

BlockMeaning = Callable[[Sequence[str]], Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Extract:
    """`evidence.snapshot[start:end]`; [lead_start, lead_end), within it, is what answers.

    `score` is comparable within one search only.
    """

    evidence: Evidence
    start: int
    end: int
    lead_start: int
    lead_end: int
    score: float


class Extracts:
    """The extracts of one search, each made once.

    `meaning` gives the cosine of each of some texts and the question, None where it has none.
    """

    def __init__(
        self,
        query: Query,
        overlap: Overlap,
        analyzer: Analyzer,
        meaning: BlockMeaning | None = None,
    ) -> None:
        self._analyzer = analyzer
        self._leads = Leads(query, overlap, analyzer, meaning)
        self._made: dict[tuple[int, int, int], Extract | None] = {}

    def of(self, evidence: Evidence) -> Extract | None:
        """Returns the extract of a passage to show; None when nothing of it can be."""
        key = (evidence.source, evidence.start, evidence.end)
        if key not in self._made:
            self._made[key] = self._extract(evidence)
        return self._made[key]

    def best(self, evidence: Sequence[Evidence], most: int) -> list[Extract]:
        """The best extracts of passages, best first; none overlaps, touches or repeats another."""
        made = [extract for x in evidence if (extract := self.of(x))]
        kept: list[Extract] = []
        for extract in sorted(made, key=lambda x: -x.score):
            if len(kept) < most and not any(self._is_covered(extract, x) for x in kept):
                kept.append(extract)
        return kept

    def _extract(self, evidence: Evidence) -> Extract | None:
        text = evidence.snapshot
        blocks = section(text, evidence.start, evidence.end, (evidence.title, *evidence.headings))
        pieces = in_pieces(text, blocks, evidence.language)
        best = self._leads.best(evidence, pieces)
        if best is None:
            return None
        start, end = grown(text, pieces, best.piece)
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        score = evidence.score + BEST_BLOCK * best.value
        return Extract(evidence, start, end, best.start, best.end, score)

    def _is_covered(self, extract: Extract, other: Extract) -> bool:
        a, b = extract.evidence, other.evidence
        if a.source == b.source:
            between = a.snapshot[min(extract.end, other.end) : max(extract.start, other.start)]
            if not between.strip():
                return True
        left, right = (
            set(self._analyzer.terms(x.evidence.snapshot[x.start : x.end], x.evidence.language))
            for x in (extract, other)
        )
        return len(left & right) >= REPEATED * len(left | right)


def grown(text: str, pieces: Sequence[Piece], n: int) -> tuple[int, int]:
    """Piece `n` with whole pieces around it until there is enough to read: first what follows,
    then what comes before; of a paragraph that is too long to be shown, as much as may be shown.
    Nothing is left that leads to something else."""
    first, last = _its_entry(pieces, n), n
    words = sum(x.words for x in pieces[first : n + 1])
    fits = partial(_fits, pieces[n])
    enough = MOST if pieces[n].sentence else ENOUGH
    while words < enough:
        after, before = pieces[last + 1 : last + 2], pieces[max(0, first - 1) : first]
        if pieces[n].entry and words >= ENTRY:
            after, before = ([x for x in side if not x.entry] for side in (after, before))
        if after and not after[0].new_subject and fits(after[0], pieces[first].start, words):
            last += 1
            words += pieces[last].words
        elif before and not pieces[first].new_subject and fits(before[0], pieces[last].end, words):
            first -= 1
            words += pieces[first].words
        else:
            break
    while last > n and _must_not_end(text, pieces[last]):
        last -= 1
    while first < n and _is_scrap(text, pieces[first]):
        first += 1
    if words < ENOUGH and first and pieces[first - 1].heading:
        first -= 1  # it may be all that says what a short section is about
    end = pieces[n].parts[-1].end if last == n and pieces[n].opens else pieces[last].end
    return pieces[first].start, end


def _its_entry(pieces: Sequence[Piece], n: int) -> int:
    """Finds the beginning of the definition entry that piece `n` may go on with, if there is room
    for it: a value says little without the name of what has it.
    """
    words, at = 0.0, n
    while not pieces[at].closed and pieces[n].end - pieces[at].start <= MOST_CHARACTERS:
        words += pieces[at].words
        if words > MOST_WHOLE or pieces[at].new_subject:
            break
        if pieces[at].entry:
            return at
        if not at:
            break
        at -= 1
    return n


def _fits(lead: Piece, piece: Piece, far_end: int, words: float) -> bool:
    """True if `piece` can be added to a slice of so many words whose other end is `far_end`."""
    if piece.closed or piece.cut_from not in (None, lead.cut_from):
        return False
    length = max(abs(far_end - piece.start), abs(far_end - piece.end))
    return length <= MOST_CHARACTERS and words + piece.words <= MOST


def _must_not_end(text: str, piece: Piece) -> bool:
    """True if a slice that ends with the piece leaves something open, or trails off."""
    unfinished = piece.words >= A_SENTENCE and _UNFINISHED.search(text, piece.start, piece.end)
    return piece.opens or bool(unfinished) or _is_scrap(text, piece)


def _is_scrap(text: str, piece: Piece) -> bool:
    return piece.words < 1 or (text[piece.start : piece.end].startswith("[") and piece.words < 3)
