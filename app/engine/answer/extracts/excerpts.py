"""Excerpts of every source: its passages that fit the question best, for readers to judge by."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.engine.answer.evidence import Evidence
from app.engine.answer.extracts.extracts import Extract, Extracts
from app.engine.pages.sentences import sentences

DEFAULT_CHARACTERS, MOST_CHARACTERS = 1_200, 4_000  # of a source's excerpts together
MOST_EXCERPTS = 2


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


def excerpts_of(
    evidence_by_source: Mapping[int, Sequence[Evidence]], extracts: Extracts, max_chars: int
) -> dict[int, tuple[SourceExcerpt, ...]]:
    """Up to two excerpts of each source, best first, of at most `max_chars` characters together."""
    best_score = max((x.score for own in evidence_by_source.values() for x in own), default=0.0)
    chosen: dict[int, tuple[SourceExcerpt, ...]] = {}
    for source, evidence in evidence_by_source.items():
        best = sorted(evidence, key=lambda x: -x.score)
        shown = extracts.best(best, MOST_EXCERPTS) if max_chars > 0 else []
        chosen[source] = tuple(_excerpt(x, best_score) for x in _within(shown, max_chars))
    return chosen


def _within(shown: Sequence[Extract], max_chars: int) -> list[Extract]:
    """As much of the extracts as fits; a further one only if its lead fits."""
    kept: list[Extract] = []
    room = max_chars
    for x in shown:
        if kept and x.lead_end - x.lead_start > room:
            continue
        fitted = _fitted(x, room)
        kept.append(fitted)
        room -= fitted.end - fitted.start
    return kept


def _fitted(x: Extract, room: int) -> Extract:
    """From the lead on, as many whole sentences or lines as fit; when the first of them is too
    long, it is cut between two words, and when its first word is too long, inside that."""
    if x.end - x.start <= room:
        return x
    text, begin = x.evidence.snapshot, x.lead_start
    spans = sentences(text[begin : x.end], x.evidence.language)
    fitting = [begin + end for _, end in spans if end <= room]
    words = re.match(r"[\s\S]*\S(?=\s)", text[begin : begin + room + 1])
    end = fitting[-1] if fitting else begin + (words.end() if words else room)
    return replace(x, start=begin, end=end, lead_end=min(x.lead_end, end))


def _excerpt(x: Extract, best_score: float) -> SourceExcerpt:
    share = x.evidence.score / best_score if best_score > 0 else 0.0
    return SourceExcerpt(
        text=x.text,
        start=x.start,
        end=x.end,
        lead_start=x.lead_start,
        lead_end=x.lead_end,
        headings=x.evidence.heading_path,
        score=round(max(0.0, share), 4),
    )
