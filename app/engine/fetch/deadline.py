"""A moment that work must not outlast."""

import time


class Deadline:
    """`seconds` from now, by the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def left(self, at_most: float = float("inf")) -> float:
        """Seconds left, never more than `at_most`. Raises TimeoutError when none are."""
        seconds = self._at - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return min(seconds, at_most)
