"""When to ask again: never all nodes at once, and ever less often while it fails."""

import random
from collections.abc import Callable
from typing import Final

SPREAD: Final = 0.2
MOST_SECONDS: Final = 60.0


class Pace:
    def __init__(self, jitter: Callable[[], float] = random.random) -> None:
        self._jitter = jitter

    def about(self, seconds: float) -> float:
        """As many seconds, a fifth more or less."""
        return seconds * (1 - SPREAD + 2 * SPREAD * self._jitter())

    def after_failure(self, failures: int, retry_after: float | None = None) -> float:
        """Longer with each failure in a row, up to a minute; a longer `Retry-After` wins."""
        growing = min(self.about(float(2 ** min(failures, 10))), MOST_SECONDS)
        if retry_after is None:
            return growing
        return max(growing, retry_after * (1 + SPREAD * self._jitter()))
