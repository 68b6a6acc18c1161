"""Passages as they are shown: whole, without the headings they begin with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.answer.blocks.kinds import is_row
from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.leads import Leads
from app.engine.pages.passages import count_words
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.search.question_echo import restates
from app.engine.text import analysis

ENOUGH = 60  # words of a table
_LINE = re.compile(r"[^\n]*\S[^\n]*")
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
    def __init__(self, query: Query, overlap: Overlap) -> None:
        self._query = query
        self._leads = Leads(query, overlap)
        self._made: dict[tuple[int, int, int], Extract | None] = {}

    def of(self, evidence: Evidence) -> Extract | None:
        """Returns the extract of a passage; None when nothing of it can be shown."""
        key = (evidence.source, evidence.start, evidence.end)
        if key not in self._made:
            self._made[key] = self._extract(evidence)
        return self._made[key]

    def best(self, evidence: Sequence[Evidence], most: int) -> list[Extract]:
        """The extracts of the first passages, in their order; none repeats another."""
        kept: list[Extract] = []
        for each in evidence:
            if len(kept) == most:
                break
            extract = self.of(each)
            if extract and not any(self._repeats(extract, x) for x in kept):
                kept.append(extract)
        return kept

    def _extract(self, evidence: Evidence) -> Extract | None:
        found = whole(evidence)
        if found is None or restates(evidence.text, self._query.text):
            return None  # headings alone, or an example of how to ask
        lead = self._leads.best(evidence, *found)
        if lead is None:
            return None
        return Extract(evidence, *_of_table(evidence.snapshot, *found, *lead), *lead)

    def _repeats(self, extract: Extract, other: Extract) -> bool:
        same_page = extract.evidence.source == other.evidence.source
        if same_page and extract.start < other.end and other.start < extract.end:
            return True
        left, right = (set(analysis.terms(x.text, x.evidence.language)) for x in (extract, other))
        return len(left & right) >= REPEATED * len(left | right)


def _of_table(text: str, start: int, end: int, lead_start: int, lead_end: int) -> tuple[int, int]:
    """The slice; of a table that is long, from the row that answers on, and no more than enough."""
    row = text.rfind("\n", 0, lead_start) + 1
    top, bottom = text.rfind("\n\n", start, lead_start), text.find("\n\n", lead_end, end)
    table = text[max(start, top) : bottom if bottom >= 0 else end]
    if not is_row(text[row:lead_end]) or count_words(table, ENOUGH) < ENOUGH:
        return start, end
    last = lead_end
    for below in re.finditer(r"[^\n]+", text[lead_end : bottom if bottom >= 0 else end]):
        if count_words(text[row : lead_end + below.end()], ENOUGH) >= ENOUGH:
            break
        last = lead_end + below.end()
    return row, last


def whole(evidence: Evidence) -> tuple[int, int] | None:
    """The passage from below its headings on; None when it has nothing but headings.

    A name with what it means directly under it stays.
    """
    known = {evidence.title, *evidence.headings}
    for line in _LINE.finditer(evidence.snapshot, evidence.start, evidence.end):
        entry = evidence.snapshot[line.end() : min(line.end() + 2, evidence.end)].strip("\n")
        if entry or line[0].strip().lstrip("# ") not in known:
            return line.start(), evidence.end
    return None
