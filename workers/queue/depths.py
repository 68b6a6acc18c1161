"""The number of jobs of each queue kept in Redis: no more than workers take in a moment.

What has been sent cannot be overtaken: behind 64 jobs of ten seconds another account, or more
urgent work, would wait for minutes. So a queue begins shallow and gets deeper while workers take
what they are sent faster than it is brought. Once nothing is left it gets shallow again: what comes
next may take longer.
"""

import time
from dataclasses import dataclass, field

LEAST = 2
PATIENCE_SECONDS = 0.25


@dataclass(slots=True)
class _Queue:
    depth: int
    sent: int = 0
    taken_at: float = field(default_factory=time.monotonic)


class Depths:
    def __init__(self, most: int) -> None:
        self._most = most
        self._queues: dict[str, _Queue] = {}

    def of(self, queue: str) -> int:
        return self._of(queue).depth

    def rests(self, queue: str) -> bool:
        """True if nothing is known to be out, and the queue is as shallow as it gets."""
        known = self._of(queue)
        return known.sent == 0 and known.depth <= LEAST

    def learn(self, queue: str, left: int, chosen: int, *, full: bool) -> None:
        """`left` jobs were left of those sent before, and `chosen` are sent now.

        Twice the depth if half of them were taken and more wait; half of it after a while in which
        none was, or in which there was none.
        """
        known, now = self._of(queue), time.monotonic()
        taken, wanted = known.sent - left, full and known.sent > 0
        if taken > 0 or (known.sent > 0 and not full):
            known.taken_at = now
        if wanted and taken * 2 >= known.sent:
            known.depth = min(self._most, known.depth * 2)
        elif now - known.taken_at > PATIENCE_SECONDS:
            known.depth, known.taken_at = max(min(LEAST, self._most), known.depth // 2), now
        known.sent = left + chosen

    def _of(self, queue: str) -> _Queue:
        return self._queues.setdefault(queue, _Queue(min(LEAST, self._most)))
