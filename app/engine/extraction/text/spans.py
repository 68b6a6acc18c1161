"""Slices of a text in order, to be asked which of them holds a place."""

from bisect import bisect_right
from collections.abc import Iterable

Span = tuple[int, int]
_FAR = 1 << 40


class Spans:
    """Slices of a text; those that overlap are one."""

    def __init__(self, places: Iterable[Span]) -> None:
        self._places: list[Span] = []
        for start, end in sorted(places):
            if self._places and start < self._places[-1][1]:
                start, last = self._places.pop()
                end = max(end, last)
            self._places.append((start, end))

    def at(self, place: int) -> Span | None:
        """The slice that holds a place."""
        at = bisect_right(self._places, (place, _FAR)) - 1
        return self._places[at] if at >= 0 and place < self._places[at][1] else None
