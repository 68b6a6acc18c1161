"""A circuit breaker: what fails again and again is left alone for a while."""

import threading
import time
from collections.abc import Callable

FAILURES = 3  # in a row, until it opens
PAUSE_SECONDS = 30.0


class Breaker:
    """Closed, open for a pause, then half-open: one caller tries, and its fate decides.

    State is kept in the process; threads may share it. `clock` counts seconds.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._pause, self._clock = failures, pause_seconds, clock
        self._failed = 0
        self._open_until = 0.0
        self._lock = threading.Lock()

    def admits(self) -> bool:
        """Whether a call may be made now. Who is admitted has to report how it went."""
        with self._lock:
            if self._failed < self._most:
                return True
            now = self._clock()
            if now < self._open_until:
                return False
            self._open_until = now + self._pause  # the others wait for the one that tries
            return True

    def worked(self) -> None:
        with self._lock:
            self._failed = 0

    def failed(self, retry_after: float | None = None) -> None:
        """Count a failure; `retry_after` seconds, when the service named them, open it at once."""
        with self._lock:
            self._failed = self._most if retry_after else self._failed + 1
            self._open_until = self._clock() + (retry_after or self._pause)
