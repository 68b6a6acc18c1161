"""The frontier of a crawl, still to be visited: breadth first, each address once, bounded."""

from collections import deque
from collections.abc import Iterable

_KNOWN_PER_PAGE = 20


class Frontier:
    """Addresses waiting, and all that were ever found.

    At most `max_pages` are handed out, and at most twenty times as many are remembered: a site that
    makes up links without end costs bounded memory.
    """

    def __init__(self, max_pages: int, max_depth: int) -> None:
        self._max_pages, self._max_depth = max_pages, max_depth
        self._waiting: deque[tuple[str, int]] = deque()
        self._found: set[str] = set()
        self._taken = 0

    @property
    def found(self) -> int:
        """The number of pages that will be visited as far as is known."""
        return min(self._taken + len(self._waiting), self._max_pages)

    @property
    def is_empty(self) -> bool:
        """True if `take` has nothing more to give."""
        return not self._waiting or self._taken >= self._max_pages

    def add(self, urls: Iterable[str], depth: int) -> None:
        """Add new addresses; those too deep, or seen before, are skipped."""
        if depth > self._max_depth:
            return
        for url in urls:
            if len(self._found) >= self._max_pages * _KNOWN_PER_PAGE:
                return
            if url not in self._found:
                self._found.add(url)
                self._waiting.append((url, depth))

    def take(self) -> tuple[str, int] | None:
        """The next address and its depth; None when all is done or the limit is reached."""
        if self.is_empty:
            return None
        self._taken += 1
        return self._waiting.popleft()

    def claim(self, url: str) -> bool:
        """Take an address out of turn, as where another led; False when it was met before."""
        if url in self._found:
            return False
        self._found.add(url)
        return True

    def again(self, url: str, depth: int) -> None:
        """Let an address wait once more, behind all others."""
        self._taken -= 1
        self._waiting.append((url, depth))

    def done(self, url: str, *, claimed: bool = False) -> None:
        """Count an address as visited by a former attempt; `claimed` if another one led to it."""
        self._found.add(url)
        self._taken += not claimed
