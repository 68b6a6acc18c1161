"""The check of a quote against a text: where it stood, elsewhere, changed, or not at all."""

import difflib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from app.engine.answer.quotes.folded_text import FoldedText, fold

FOUND, MOVED, CHANGED, GONE = "found", "moved", "changed", "gone"
LEAST_SIMILARITY: Final = 0.6
AROUND: Final = 32
"""Characters before and after a quote by which its place is known again."""
MOST_QUOTE: Final = 2_000
_MOST_PLACES: Final = 200
_LONGEST_BY_LETTERS: Final = 300


@dataclass(frozen=True, slots=True)
class QuoteContext:
    """The surroundings of a quote where it was read."""

    prefix: str
    suffix: str
    start: int | None = None

    @classmethod
    def of(cls, text: str, start: int, end: int) -> "QuoteContext":
        return cls(text[max(0, start - AROUND) : start], text[end : end + AROUND], start)


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """`match` is exact or normalised; `nearest` with its likeness is what stands there instead."""

    result: str
    start: int | None = None
    end: int | None = None
    match: str | None = None
    nearest: str | None = None
    similarity: float | None = None
    difference: str | None = None
    moved_to: str | None = None

    def at(self, moved_to: str | None) -> "QuoteCheck":
        """The same of a page that a permanent redirect led to: what was found there has moved."""
        if moved_to is None:
            return self
        result = MOVED if self.result == FOUND else self.result
        return replace(self, result=result, moved_to=moved_to)

    def as_json(self) -> dict[str, Any]:
        """Without what does not apply."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def verify(text: str, quote: str, place: QuoteContext | None = None) -> QuoteCheck:
    """Look for a quote in a text. Without a `place` it may stand anywhere."""
    for match, haystack, needle in _readings(text, quote):
        if spans := list(_spans(haystack, needle)):
            start, end = _best(haystack, spans, place)
            same = place is None or _same_place(haystack, start, end, place)
            return QuoteCheck(FOUND if same else MOVED, start, end, match)
    return _nearest(text, quote, place)


class _Haystack:
    """A text in which slices are looked for, and where they stand in the original."""

    def __init__(self, text: str, folded: FoldedText | None = None) -> None:
        self.original, self._folded = text, folded
        self.text = folded.text if folded else text

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """None for a slice that cuts a letter from its marks."""
        return self._folded.original(start, end) if self._folded else (start, end)


def _readings(text: str, quote: str) -> Iterator[tuple[str, _Haystack, str]]:
    """The text as it is, then folded."""
    yield "exact", _Haystack(text), quote
    if needle := fold(quote).text.strip():
        yield "normalised", _Haystack(text, fold(text)), needle


def _spans(haystack: _Haystack, needle: str) -> Iterator[tuple[int, int]]:
    """Finds the places of `needle` in the original, the first of very many."""
    at, seen = haystack.text.find(needle), 0
    while at >= 0 and needle and seen < _MOST_PLACES:
        if place := haystack.place(at, at + len(needle)):
            yield place
        at, seen = haystack.text.find(needle, at + 1), seen + 1


def _best(
    haystack: _Haystack, spans: list[tuple[int, int]], place: QuoteContext | None
) -> tuple[int, int]:
    """The one whose surroundings are most like those of the place, then the nearest to it."""
    if place is None:
        return spans[0]

    def rank(span: tuple[int, int]) -> tuple[float, int]:
        likeness = _neighbours(haystack.original, *span, place)
        return -likeness, abs(span[0] - (place.start or 0))

    return min(spans, key=rank)


def _same_place(haystack: _Haystack, start: int, end: int, place: QuoteContext) -> bool:
    """Between its old neighbours, one of which may have changed."""
    if not place.prefix and not place.suffix:
        return place.start in (None, start)
    return _neighbours(haystack.original, start, end, place) >= LEAST_SIMILARITY


def _neighbours(text: str, start: int, end: int, place: QuoteContext) -> float:
    """Rates how alike what is before and after is, the better of the two."""
    now = QuoteContext.of(text, start, end)
    sides = [
        _similarity(_plain(before), _plain(after))
        for before, after in ((place.prefix, now.prefix), (place.suffix, now.suffix))
        if before
    ]
    return max(sides, default=1.0)


def _plain(text: str) -> str:
    return fold(text).text.strip()


def _nearest(text: str, quote: str, place: QuoteContext | None) -> QuoteCheck:
    """Finds what stands between the old neighbours, or is most like the quote of all there is."""
    candidates = [*_between(text, quote, place), *_windows(text, quote)]
    scored = [(_similarity(quote, candidate), start, candidate) for start, candidate in candidates]
    likeness, start, candidate = max(
        scored, key=lambda each: (each[0], -each[1]), default=(0.0, 0, "")
    )
    if likeness < LEAST_SIMILARITY:
        return QuoteCheck(GONE)
    return QuoteCheck(
        CHANGED,
        start,
        start + len(candidate),
        nearest=candidate,
        similarity=round(likeness, 2),
        difference=difference(quote, candidate),
    )


def _between(text: str, quote: str, place: QuoteContext | None) -> Iterator[tuple[int, str]]:
    """Slices from behind the old prefix up to the old suffix."""
    if place is None or not place.prefix:
        return
    prefix, suffix = place.prefix[-16:], place.suffix[:16]
    for _, end in _spans(_Haystack(text), prefix):
        until = text.find(suffix, end) if suffix else -1
        longest = end + 2 * len(quote) + 40
        if 0 <= until <= longest:
            yield _trimmed(text, end, until)
        else:
            yield _trimmed(text, end, min(len(text), end + len(quote)))


def _trimmed(text: str, start: int, end: int) -> tuple[int, str]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), piece.strip()


def _windows(text: str, quote: str) -> Iterator[tuple[int, str]]:
    """Pieces of lines about as long as the quote, where the text shares the most with it.

    The places are those of the rarest words of the quote: comparing all would take too long.
    """
    words = sorted({word for word in quote.split() if len(word) > 2}, key=text.count)
    shared = [word for word in words if word in text][:3]
    for word in shared:
        offset = quote.find(word)
        for at, _ in list(_spans(_Haystack(text), word))[:20]:
            start = max(0, at - offset, text.rfind("\n", 0, at) + 1)
            stop = text.find("\n", at)
            end = min(len(text) if stop < 0 else stop, start + len(quote))
            yield _trimmed(text, start, _word_end(text, end))


def _word_end(text: str, end: int) -> int:
    """Not in the middle of a word."""
    limit = min(len(text), end + 20)
    while end < limit and not text[end].isspace() and not text[end - 1].isspace():
        end += 1
    return end


def _similarity(left: str, right: str) -> float:
    """By letters, or of long texts by words, whose number grows less."""
    if max(len(left), len(right)) <= _LONGEST_BY_LETTERS:
        return difflib.SequenceMatcher(None, left, right, False).ratio()
    one, other = left[:MOST_QUOTE].split(), right[:MOST_QUOTE].split()
    return difflib.SequenceMatcher(None, one, other).ratio()


def difference(before: str, after: str) -> str:
    """The lines that differ, as a unified difference shows them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    kept = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(f"{line[0]} {line[1:]}" for line in kept)
