"""The circuit breaker: what fails again and again is left alone for a while.

This is the mechanism, for one process. `core/redis/guard.py` puts it before Redis, `engine/models`
and `engine/semantic` before models; `core/redis/circuits.py` shares the same rules between
processes, and falls back to this.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

FAILURES: Final = 3  # in a row, until it opens
PAUSE_SECONDS: Final = 30.0
FAIR_SHARE: Final = 0.5
"""Of the time a service is configured to get: with less, that it did not answer says nothing."""


class Breaker:
    """Closed, open for a pause, then half-open: one caller tries, and its fate decides.

    Each further failure doubles the pause up to `longest_seconds`. Threads may share it. Whoever is
    admitted has to report how it went: `worked`, `failed`, `timed_out` or `undecided`.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
        *,
        longest_seconds: float | None = None,
        probe_seconds: float = PAUSE_SECONDS,
        fair_seconds: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`probe_seconds` is how long one caller alone may try, `fair_seconds` how long a call
        must have been given for its timeout to count."""
        self._limit, self._pause = failures, pause_seconds
        self._longest = longest_seconds or pause_seconds
        self._probe_seconds, self._fair = probe_seconds, fair_seconds
        self._clock, self._lock = clock, threading.Lock()
        self._failures = 0
        self._open_until = self._probe_until = 0.0

    def admits(self) -> bool:
        """True if a call may be made now."""
        if not self._failures:  # nearly always, so without the lock
            return True
        with self._lock:
            now = self._clock()
            if now < self._open_until:
                return False
            if self._failures >= self._limit:
                if now < self._probe_until:
                    return False
                self._probe_until = now + self._probe_seconds
            return True

    def worked(self) -> None:
        if not self._failures:
            return
        with self._lock:
            self._failures, self._probe_until = 0, 0.0

    def failed(self, pause_seconds: float | None = None) -> None:
        """Count a failure; `pause_seconds` (Retry-After) is how long nobody calls at least."""
        with self._lock:
            self._failures, self._probe_until = self._failures + 1, 0.0
            pause = pause_seconds or 0.0
            if (beyond := self._failures - self._limit) >= 0:
                pause = max(pause, min(self._pause * 2 ** min(20, beyond), self._longest))
            if pause:
                self._open_until = self._clock() + pause

    def timed_out(self, seconds: float) -> None:
        """It did not answer within `seconds`: a failure if that was a fair time."""
        if seconds >= self._fair:
            self.failed()
        else:
            self.undecided()

    def undecided(self) -> None:
        """The call says nothing about the service: another caller may try."""
        with self._lock:
            self._probe_until = 0.0
