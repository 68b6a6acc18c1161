"""Excerpts of every source: its passages that fit the question best, for readers to judge by."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.pages.sentences import sentences

DEFAULT_CHARACTERS, MOST_CHARACTERS = 1_200, 4_000  # of a source's excerpts together
MOST_EXCERPTS = 2
MOST_PASSAGES = 4  # tried for a source: several of one section give the same extract
MOST_HEADINGS, HEADING_CHARACTERS = 6, 200


@dataclass(frozen=True, slots=True)
class SourceExcerpt:
    """`text == snapshot[start:end]`; `lead_start` and `lead_end` mark the block in it that answers.

    `score` is 0 to 1, comparable within one result only, and no probability.
    """

    text: str
    start: int
    end: int
    lead_start: int
    lead_end: int
    headings: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Slice:
    evidence: Evidence
    start: int
    end: int
    lead_start: int
    lead_end: int


def excerpts_of(
    evidence_by_source: Mapping[int, Sequence[Evidence]], extracts: Extracts, max_chars: int
) -> dict[int, tuple[SourceExcerpt, ...]]:
    """Up to two excerpts of each source, best first, of at most `max_chars` characters together."""
    best_score = max((x.score for own in evidence_by_source.values() for x in own), default=0.0)
    return {
        source: tuple(
            _excerpt(part, best_score)
            for part in _within(_best_slices(evidence, extracts), max_chars)
        )
        if max_chars > 0
        else ()
        for source, evidence in evidence_by_source.items()
    }


def _best_slices(evidence: Sequence[Evidence], extracts: Extracts) -> list[_Slice]:
    """Cuts slices around the best passages; slices that overlap or touch become one."""
    slices: list[_Slice] = []
    taken = 0
    for passage in sorted(evidence, key=lambda x: -x.score)[:MOST_PASSAGES]:
        extract = extracts.of(passage)
        if extract is None or any(_holds(known, extract) for known in slices):
            continue
        slices = _with(slices, passage, extract)
        taken += 1
        if taken == MOST_EXCERPTS:
            break
    return slices


def _holds(known: _Slice, extract: Extract) -> bool:
    return known.start <= extract.start and extract.end <= known.end


def _with(slices: list[_Slice], passage: Evidence, extract: Extract) -> list[_Slice]:
    """The slices and one more, which is joined to the first that it meets: that one's lead stays,
    since it is of the better passage."""
    for i, known in enumerate(slices):
        if _meet(known, extract):
            joined = replace(
                known, start=min(known.start, extract.start), end=max(known.end, extract.end)
            )
            return [*slices[:i], joined, *slices[i + 1 :]]
    more = _Slice(passage, extract.start, extract.end, extract.lead_start, extract.lead_end)
    return [*slices, more]


def _meet(known: _Slice, extract: Extract) -> bool:
    """True if nothing but white space is between the two."""
    between = known.evidence.snapshot[min(known.end, extract.end) : max(known.start, extract.start)]
    return not between.strip()


def _within(slices: Sequence[_Slice], max_chars: int) -> list[_Slice]:
    """As much of the slices as fits; a further one only if its lead fits."""
    kept: list[_Slice] = []
    room = max_chars
    for x in slices:
        if kept and x.lead_end - x.lead_start > room:
            continue
        fitted = _fitted(x, room)
        kept.append(fitted)
        room -= fitted.end - fitted.start
    return kept


def _fitted(x: _Slice, room: int) -> _Slice:
    """The lead and the whole sentences or lines around it that fit, those below it first."""
    if x.end - x.start <= room:
        return x
    if x.lead_end - x.lead_start > room:
        end = _last_end(x, room)
        return replace(x, start=x.lead_start, end=end, lead_end=end)
    start, end = x.lead_start, x.lead_end
    parts = _sentences(x, x.start, x.end)
    for _, part_end in (part for part in parts if part[1] > end):
        if part_end - start > room:
            break
        end = part_end
    for part_start, _ in (part for part in reversed(parts) if part[0] < start):
        if end - part_start > room:
            break
        start = part_start
    return replace(x, start=start, end=end)


def _last_end(x: _Slice, room: int) -> int:
    """Finds where to cut a lead that is too long: after a whole sentence or line; when the first of
    them is too long, between two words; when the first word is too long, inside it.
    """
    ends = [end for _, end in _sentences(x, x.lead_start, x.lead_end)]
    fitting = [end for end in ends if end - x.lead_start <= room]
    if fitting:
        return fitting[-1]
    limit = x.lead_start + room
    words = re.match(r"[\s\S]*\S(?=\s)", x.evidence.snapshot[x.lead_start : limit + 1])
    return x.lead_start + words.end() if words else limit


def _sentences(x: _Slice, start: int, end: int) -> list[tuple[int, int]]:
    spans = sentences(x.evidence.snapshot[start:end], x.evidence.language)
    return [(start + a, start + b) for a, b in spans]


def _excerpt(x: _Slice, best_score: float) -> SourceExcerpt:
    share = x.evidence.score / best_score if best_score > 0 else 0.0
    return SourceExcerpt(
        text=x.evidence.snapshot[x.start : x.end],
        start=x.start,
        end=x.end,
        lead_start=x.lead_start,
        lead_end=x.lead_end,
        headings=tuple(h[:HEADING_CHARACTERS] for h in x.evidence.headings[-MOST_HEADINGS:]),
        score=round(min(1.0, max(0.0, share)), 4),
    )
