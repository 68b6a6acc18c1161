"""Passages as they are shown: whole, with what leads to them, inside their section.

A passage is cut for the index: it may begin in the middle of a list, or end before the listing that
its last sentence announces. An extract is one verbatim slice of the snapshot around it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.kinds import ASKS, CAPTION, ENDS_OPEN, LEANS_BACK, is_row
from app.engine.answer.blocks.sections import AnswerBlockKind, Span, typed_spans
from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.leads import Leads
from app.engine.pages.passages import count_words
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer

ENOUGH, MOST = 60, 180  # words: a shorter slice takes its neighbours, a longer one takes nothing
MOST_CHARACTERS = 1_800
SCRAP = 12  # words
SAYS = re.compile(r"[.!?…。！？؟।]|[:=：]\s*\S|\w\(|(?:^|\s)--?\w|[$`]|\w/\w")
REPEATED = 0.8  # Jaccard similarity of two extracts' terms


@dataclass(frozen=True, slots=True)
class Extract:
    """`evidence.snapshot[start:end]`; [lead_start, lead_end), within it, is what answers."""

    evidence: Evidence
    start: int
    end: int
    lead_start: int
    lead_end: int

    @property
    def text(self) -> str:
        return self.evidence.snapshot[self.start : self.end]

    @property
    def lead(self) -> str:
        return self.evidence.snapshot[self.lead_start : self.lead_end]


class Extracts:
    """The extracts of one search, each made once."""

    def __init__(self, query: Query, overlap: Overlap, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._leads = Leads(query, overlap, analyzer)
        self._made: dict[tuple[int, int, int], Extract | None] = {}

    def of(self, evidence: Evidence) -> Extract | None:
        """Returns the extract of a passage; None when nothing of it can be shown."""
        key = (evidence.source, evidence.start, evidence.end)
        if key not in self._made:
            self._made[key] = self._extract(evidence)
        return self._made[key]

    def best(self, evidence: Sequence[Evidence], most: int) -> list[Extract]:
        """The extracts of the first passages, in their order; none overlaps or repeats another."""
        kept: list[Extract] = []
        for each in evidence:
            if len(kept) == most:
                break
            extract = self.of(each)
            if extract and not any(self._is_covered(extract, x) for x in kept):
                kept.append(extract)
        return kept

    def _extract(self, evidence: Evidence) -> Extract | None:
        found = whole(evidence)
        if found is None or _is_scrap(evidence.snapshot[slice(*found)]):
            return None
        lead = self._leads.best(evidence, *found)
        if lead is None:
            return None
        return Extract(evidence, *_without_other_rows(evidence, *found, *lead), *lead)

    def _is_covered(self, extract: Extract, other: Extract) -> bool:
        same_page = extract.evidence.source == other.evidence.source
        if same_page and extract.start < other.end and other.start < extract.end:
            return True
        left, right = (
            set(self._analyzer.terms(x.text, x.evidence.language)) for x in (extract, other)
        )
        return len(left & right) >= REPEATED * len(left | right)


def _without_other_rows(
    evidence: Evidence, start: int, end: int, lead_start: int, lead_end: int
) -> tuple[int, int]:
    """The slice; of a table that is long, from the row that answers on, and no more than enough."""
    text = evidence.snapshot
    for kind, a, b in typed_spans(text, start, end):
        inside = a <= lead_start and lead_end <= b
        if not inside or kind is not AnswerBlockKind.TABLE:
            continue
        shown = slice(max(a, start), min(b, end))
        if count_words(text[shown], ENOUGH) < ENOUGH:
            break
        row = text.rfind("\n", start, lead_start) + 1 or start
        last = lead_end
        for below in re.finditer(r"[^\n]+", text[lead_end : shown.stop]):
            if count_words(text[row : lead_end + below.end()], ENOUGH) >= ENOUGH:
                break
            last = lead_end + below.end()
        return row, last
    return start, end


def _is_scrap(text: str) -> bool:
    """True if a text is a few words that say nothing: a list of links, the name of a page."""
    few = count_words(text, SCRAP) < SCRAP
    return few and "\n" not in text and not is_row(text) and not SAYS.search(text)


def whole(evidence: Evidence) -> tuple[int, int] | None:
    """The passage as a slice of whole blocks; None when it has nothing but headings."""
    text, blocks = evidence.snapshot, _section(evidence)
    inside = [n for n, (_, a, b) in enumerate(blocks) if a < evidence.end and evidence.start < b]
    while inside and blocks[inside[0]][0] is AnswerBlockKind.HEADING:
        del inside[0]
    if not inside:
        return None
    first, last = inside[0], inside[-1]
    start, end = max(blocks[first][1], evidence.start), min(blocks[last][2], evidence.end)
    if _fits(text, blocks[first][1], end):
        start = blocks[first][1]
    if _fits(text, start, blocks[last][2]):
        end = blocks[last][2]
    while first and start == blocks[first][1] and _goes_before(text, blocks, first, start, end):
        first -= 1
        start = blocks[first][1]
    while last + 1 < len(blocks) and end == blocks[last][2] and _goes_on(text, blocks, last, start):
        last += 1
        end = blocks[last][2]
    while last > first and _must_not_end(text, blocks[last]):
        last -= 1
        end = blocks[last][2]
    return start, end


def _section(evidence: Evidence) -> list[Span]:
    """The blocks around a passage between the heading above it and the one below."""
    known = frozenset((evidence.title, *evidence.headings))
    found: list[Span] = []
    for span in typed_spans(evidence.snapshot, evidence.start, evidence.end, known):
        kind, a, b = span
        if kind is AnswerBlockKind.HEADING and a >= evidence.end:
            break
        if kind is AnswerBlockKind.HEADING and b <= evidence.start:
            found.clear()
        else:
            found.append(span)
    return found


def _goes_before(text: str, blocks: Sequence[Span], n: int, start: int, end: int) -> bool:
    """True if the block above belongs to the slice: it leads to it, or the slice needs it."""
    above, first = blocks[n - 1], blocks[n]
    if above[0] is AnswerBlockKind.HEADING or not _fits(text, above[1], end):
        return False
    if _opens(text, above) or LEANS_BACK.match(text, first[1], first[2]):
        return True
    return _may_join(first) and count_words(text[start:end], ENOUGH) < ENOUGH


def _goes_on(text: str, blocks: Sequence[Span], n: int, start: int) -> bool:
    """True if the block below belongs to the slice: it is announced, or the slice is short."""
    last, below = blocks[n], blocks[n + 1]
    if below[0] is AnswerBlockKind.HEADING or not _fits(text, start, below[2]):
        return False
    short = count_words(text[start : last[2]], ENOUGH) < ENOUGH
    return _opens(text, last) or (_may_join(below) and short)


def _may_join(below: Span) -> bool:
    """False of a new entry: what one says of its subject is not true of another's."""
    return below[0] is not AnswerBlockKind.ENTRY


def _opens(text: str, block: Span) -> bool:
    """True if something has to follow: a lead-in, a question, a caption."""
    _, a, b = block
    ending = text[max(a, b - 20) : b]
    asks_or_leads = ENDS_OPEN.search(ending) or ASKS.search(ending)
    return bool(asks_or_leads or CAPTION.fullmatch(text, a, b))


def _must_not_end(text: str, block: Span) -> bool:
    return block[0] is AnswerBlockKind.HEADING or _opens(text, block)


def _fits(text: str, start: int, end: int) -> bool:
    return end - start <= MOST_CHARACTERS and count_words(text[start:end], MOST + 1) <= MOST
