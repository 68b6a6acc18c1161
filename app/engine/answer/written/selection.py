"""The choice of passages the model reads: the best few with what stands around them, page
by page.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.engine.answer.evidence import Evidence, foremost
from app.engine.models.tokens import cut, estimate

# Measured on 64 questions about four manuals: the gold stands in five passages with one neighbour
# on each side for 56, in eight for 58, in twelve without neighbours for 55.
FEW, MOST = 5, 8
PLENTY = 3_000  # tokens for passages at which `MOST` are read instead of `FEW`
FENCE_TOKENS = 150  # what a run costs beside its text: its fence, its title, its headings
_LEAST_TOKENS = 40  # a passage cut shorter is not worth its fence


@dataclass(frozen=True, slots=True)
class PassageContext:
    """A passage with those that touch it on its page, of which there are at most two."""

    evidence: Evidence
    neighbours: tuple[Evidence, ...] = ()


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
        return self.parts[-1].end

    @property
    def text(self) -> str:
        return self.first.snapshot[self.start : self.end]

    def part_at(self, position: int) -> Evidence:
        """The passage that a place of the page is in, or the nearest before it."""
        return next((x for x in reversed(self.parts) if x.start <= position), self.first)


def runs(passages: Sequence[PassageContext], tokens: int) -> list[PassageRun]:
    """Chooses what `tokens` have room for: pages by their best passage, the passages of each in its
    order.

    They are those that `foremost` names, best first. The first that does not fit is cut, and those
    behind it are left out; neighbours come in last, where there is room for the whole of them.
    """
    read = foremost([x.evidence for x in passages], MOST if tokens >= PLENTY else FEW)
    chosen = [next(x for x in passages if x.evidence is item) for item in read]
    kept, left = _fitting([x.evidence for x in chosen], tokens)
    around = [x for passage in chosen[: len(kept)] for x in passage.neighbours]
    for neighbour in around:
        cost = estimate(_text(neighbour))
        if cost <= left and not any(_overlap(neighbour, x) for x in kept):
            kept.append(replace(neighbour, score=0.0))
            left -= cost
    pages = list(dict.fromkeys(x.source for x in kept))
    return [run for page in pages for run in _joined([x for x in kept if x.source == page])]


def _fitting(evidence: Sequence[Evidence], tokens: int) -> tuple[list[Evidence], int]:
    """The first passages that fit, the last of them cut, and what is left of the tokens."""
    kept: list[Evidence] = []
    for item in evidence:
        room = tokens - FENCE_TOKENS
        if room < _LEAST_TOKENS:
            break
        text = cut(_text(item), room)
        kept.append(replace(item, end=item.start + len(text)))
        tokens = room - estimate(text)
        if item.start + len(text) < item.end:
            break
    return kept, tokens


def _joined(page: Sequence[Evidence]) -> Iterator[PassageRun]:
    """The passages of a page in reading order, those that touch as one."""
    run: list[Evidence] = []
    for item in sorted(page, key=lambda x: x.start):
        if run and item.snapshot[run[-1].end : item.start].strip():
            yield PassageRun(tuple(run))
            run = []
        run.append(item)
    yield PassageRun(tuple(run))


def _overlap(a: Evidence, b: Evidence) -> bool:
    return a.source == b.source and a.start < b.end and b.start < a.end


def _text(item: Evidence) -> str:
    return item.snapshot[item.start : item.end]
