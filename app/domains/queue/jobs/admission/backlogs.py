"""The backlog of a queue and how fast it drains, as one process sees it at a bounded cost.

Waiting jobs are counted as loads are (`load_store`): few here and now, and of many the last sample
says how many they are, which dispatchers take every ten seconds.
"""

import math
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.domains.queue.jobs.admission import admission_store
from app.domains.queue.jobs.admission.admission_store import Look
from app.domains.queue.jobs.admission.load_store import COUNTED, ENOUGH

LOOK_SECONDS: Final = 1.0
WINDOW_SECONDS: Final = 30.0
"""Of which the rate is the mean."""
LEAST_WINDOW_SECONDS: Final = 5.0
"""Shorter ones say too little."""
MOST_ACCOUNTS: Final = 500
"""Counted."""
SHORTEST_RETRY_SECONDS: Final = 1
LONGEST_RETRY_SECONDS: Final = 300
UNKNOWN_RETRY_SECONDS: Final = 30
"""While nobody knows how fast a queue drains."""


def retry_seconds(jobs: float, per_second: float | None) -> int:
    """The time until so many jobs have begun at this rate, in whole seconds within bounds."""
    if per_second is None:
        return UNKNOWN_RETRY_SECONDS
    if jobs >= LONGEST_RETRY_SECONDS * per_second:  # nothing may drain at all
        return LONGEST_RETRY_SECONDS
    return max(SHORTEST_RETRY_SECONDS, math.ceil(jobs / per_second))


def rest_seconds(counted: int) -> float:
    """The time for which a count is good: whoever counts more looks less often."""
    return max(LOOK_SECONDS, counted / COUNTED)


@dataclass(frozen=True, slots=True)
class _Mark:
    """The jobs that waited at a moment: ids up to `id`."""

    at: float
    id: UUID
    waiting: int


@dataclass(slots=True)
class Backlog:
    """Of one queue; `until` is when it is to be looked at again."""

    until: float = 0.0
    waiting: int = 0
    per_second: float | None = None
    """Jobs that begin; None while that is not known."""
    _accounts: int = 0
    _accounts_until: float = 0.0
    _admitted: int = 0
    """Here, since the sample."""
    _sampled_at: datetime | None = None
    _marks: deque[_Mark] = field(default_factory=deque)

    def look(self, tx: Tx, queue: str, limit: int, now: float) -> None:
        """Count what waits, up to `limit` or more."""
        seen = admission_store.look(tx, queue, WINDOW_SECONDS)
        few = seen.counted < (ENOUGH if seen.waiting >= COUNTED else COUNTED)
        self.until = now + LOOK_SECONDS
        if few and seen.per_second is None:
            self.per_second = self._measure(tx, queue, now)
            self._marks.append(_Mark(now, ids.new(), seen.counted))
        else:
            self.per_second = seen.per_second
            self._marks.clear()
        self.waiting = seen.counted if few else self._estimate(tx, queue, limit, seen, now)

    def accounts(self, tx: Tx, queue: str, now: float) -> int:
        """Accounts that wait, up to MOST_ACCOUNTS; counting one costs as much as ten jobs."""
        if now >= self._accounts_until:
            self._accounts = admission_store.accounts_waiting(tx, queue, MOST_ACCOUNTS)
            self._accounts_until = now + rest_seconds(10 * self._accounts)
        return self._accounts

    def admit(self) -> None:
        """One more waits, until it is looked at again."""
        self.waiting += 1
        self._admitted += 1

    def _estimate(self, tx: Tx, queue: str, limit: int, seen: Look, now: float) -> int:
        """Waiting jobs by the last sample; without one (no dispatchers) all are counted."""
        if seen.at is None:
            counted = admission_store.waiting(tx, queue, max(limit, COUNTED))
            self.until = now + rest_seconds(counted)
            return counted
        if seen.at != self._sampled_at:
            self._sampled_at, self._admitted = seen.at, 0
        begun = (seen.per_second or 0.0) * seen.age_seconds
        return max(seen.counted, seen.waiting + self._admitted - int(begun))

    def _measure(self, tx: Tx, queue: str, now: float) -> float | None:
        """Jobs begun a second since the first mark of the window; None when that is not known.

        Once all that waited then is begun nobody knows when it was: workers may have idled since.
        """
        while len(self._marks) > 1 and self._marks[1].at <= now - WINDOW_SECONDS:
            self._marks.popleft()
        if not self._marks:
            return None
        mark = self._marks[0]
        remaining = admission_store.remaining(tx, queue, mark.id, COUNTED)
        if not remaining:
            self._marks.clear()
            return None
        seconds = now - mark.at
        if seconds < LEAST_WINDOW_SECONDS:
            return None
        later = admission_store.begun_since(tx, queue, mark.id, COUNTED)
        # One more may be about to begin: a queue of long jobs is slow, not dead.
        return (max(0, mark.waiting - remaining) + later + 1) / seconds
