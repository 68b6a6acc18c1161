"""The choice of passages the model reads: the best ones, each whole, page by page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.engine.answer.evidence import Evidence, foremost
from app.engine.answer.extracts.extracts import whole
from app.engine.models.tokens import cut, estimate

# The answer is among the ten best passages for 56 of 64 questions about four manuals, among the
# five best for 50.
PASSAGES = 10
FENCE_TOKENS = 150  # what a run costs beside its text: its fence, its title, its headings
_LEAST_TOKENS = 40  # a passage cut shorter is not worth its fence


@dataclass(frozen=True, slots=True)
class PassageRun:
    """Passages of one page, in reading order, with nothing but white space between them."""

    parts: tuple[Evidence, ...]

    @property
    def first(self) -> Evidence:
        return self.parts[0]

    @property
    def start(self) -> int:
        return self.first.start

    @property
    def end(self) -> int:
        return max(x.end for x in self.parts)

    @property
    def text(self) -> str:
        return self.first.snapshot[self.start : self.end]

    def part_at(self, position: int) -> Evidence:
        """The passage that a place of the page is in, or the nearest before it."""
        return next((x for x in reversed(self.parts) if x.start <= position), self.first)

    def holds(self, passage: Evidence) -> bool:
        """True if the passage is a part of it, or begins in one."""
        same_page = self.first.snapshot == passage.snapshot
        return same_page and self.start <= passage.start < self.end


def runs(evidence: Sequence[Evidence], tokens: int) -> list[PassageRun]:
    """Chooses what `tokens` have room for: pages by their best passage, the passages of each in its
    order.

    They are the ten that `foremost` names, whole. The first that does not fit is cut, and those
    behind it are left out.
    """
    kept = _fitting(foremost(evidence, PASSAGES), tokens)
    pages = list(dict.fromkeys(x.source for x in kept))
    return [run for page in pages for run in _joined([x for x in kept if x.source == page])]


def _fitting(evidence: Sequence[Evidence], tokens: int) -> list[Evidence]:
    """The first passages that fit, whole, the last of them cut."""
    kept: list[Evidence] = []
    for item in evidence:
        found = whole(item)
        if found is None:
            continue
        start, end = found
        room = tokens - FENCE_TOKENS
        if room < _LEAST_TOKENS:
            break
        text = cut(item.snapshot[start:end], room)
        kept.append(replace(item, start=start, end=start + len(text)))
        tokens = room - estimate(text)
        if start + len(text) < end:
            break
    return kept


def _joined(page: Sequence[Evidence]) -> Iterator[PassageRun]:
    """The passages of a page in reading order, those that touch as one."""
    run: list[Evidence] = []
    for item in sorted(page, key=lambda x: x.start):
        if run and item.snapshot[max(x.end for x in run) : item.start].strip():
            yield PassageRun(tuple(run))
            run = []
        run.append(item)
    yield PassageRun(tuple(run))
