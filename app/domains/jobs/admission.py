"""Whether new work is accepted: only what has room, and can be done by its deadline.

Counts are bounded and read at most once a second, so that asking costs little however much waits.
"""

import math
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.errors import Overloaded, RateLimited
from app.domains.jobs import admission_store as store
from app.domains.jobs.kinds import Kind

LOOK_SECONDS = 1.0
RETRY_SECONDS = 5
LONGEST_RETRY_SECONDS = 300
WINDOW_SECONDS = 30.0  # of which the rate is the mean
LEAST_WINDOW_SECONDS = 5.0  # shorter ones say too little
MOST_ACCOUNTS = 500  # counted
WAITING_SHARE = 0.75  # of a deadline; the rest is for the work


@dataclass(frozen=True, slots=True)
class _Mark:
    """What waited at a moment: ids up to `id`."""

    at: float
    id: UUID
    waiting: int


@dataclass(slots=True)
class _Queue:
    """What waits in a queue, of how many accounts, and how fast it has drained lately."""

    until: float = 0.0
    waiting: int = 0
    accounts: int = 0
    per_second: float | None = None
    _marks: deque[_Mark] = field(default_factory=deque)

    def look(self, tx: Tx, name: str, limit: int, now: float) -> None:
        self.until = now + LOOK_SECONDS
        self.waiting = store.waiting(tx, name, limit)
        self.accounts = store.accounts_waiting(tx, name, MOST_ACCOUNTS) if self.waiting else 0
        self.per_second = self._measure(tx, name, limit, now)
        self._marks.append(_Mark(now, ids.new(), self.waiting))

    def _measure(self, tx: Tx, name: str, limit: int, now: float) -> float | None:
        """Jobs begun a second since the first mark of the window; None when that is not known.

        Once all that waited then is begun nobody knows when it was: workers may have idled since.
        """
        while len(self._marks) > 1 and self._marks[1].at <= now - WINDOW_SECONDS:
            self._marks.popleft()
        if not self._marks:
            return None
        mark = self._marks[0]
        remaining, later = store.begun_since(tx, name, mark.id, limit)
        if not remaining:
            self._marks.clear()
            return None
        seconds = now - mark.at
        if seconds < LEAST_WINDOW_SECONDS:
            return None
        # One more may be about to begin: a queue of long jobs is slow, not dead.
        return (max(0, mark.waiting - remaining) + later + 1) / seconds


class Backpressure:
    """Refuses new work while too much waits. One per process.

    An account may have as much waiting as there is room left in the queue: however many take all
    they get, there is room for the next one. And nothing is accepted that would not come to its
    turn by its deadline, at the rate at which the queue drains.
    """

    def __init__(self, queue_limit: int, account_limit: int) -> None:
        self._queue_limit, self._account_limit = queue_limit, account_limit
        self._queues: dict[str, _Queue] = {}
        self._own: dict[tuple[str, UUID], tuple[float, int]] = {}
        self._looking = threading.Lock()

    def check(
        self, tx: Tx, kind: Kind, account_id: UUID, deadline_seconds: float | None = None
    ) -> None:
        """Raises Overloaded (503) or RateLimited (429) when a job of the account has no room."""
        now = time.monotonic()
        queue = self._queues.setdefault(kind.queue, _Queue())
        if now >= queue.until and self._looking.acquire(blocking=False):
            try:  # one thread looks; the others go by what was seen before
                queue.look(tx, kind.queue, self._queue_limit, now)
            finally:
                self._looking.release()
        own = self._own_waiting(tx, kind.queue, account_id, now)
        room = self._queue_limit - queue.waiting
        if own and own >= min(room, self._account_limit):
            raise RateLimited(retry_after=RETRY_SECONDS)
        if room <= 0:
            raise Overloaded(retry_after=RETRY_SECONDS)
        late = _seconds_late(queue, own, deadline_seconds or kind.deadline_seconds)
        if late > 0:
            raise Overloaded(retry_after=min(LONGEST_RETRY_SECONDS, math.ceil(late)))

    def admit(
        self, tx: Tx, kind: Kind, account_id: UUID, deadline_seconds: float | None = None
    ) -> None:
        """As `check`, for a job that is made now: it counts until the counts are read again."""
        self.check(tx, kind, account_id, deadline_seconds)
        self._queues[kind.queue].waiting += 1
        until, own = self._own.get((kind.queue, account_id), (0.0, 0))
        self._own[kind.queue, account_id] = (until, own + 1)

    def _own_waiting(self, tx: Tx, queue: str, account_id: UUID, now: float) -> int:
        until, own = self._own.get((queue, account_id), (0.0, 0))
        if now >= until:
            if len(self._own) > 10_000:
                self._own.clear()
            own = store.waiting(tx, queue, self._account_limit, account_id)
            self._own[queue, account_id] = (now + LOOK_SECONDS, own)
        return own


def _seconds_late(queue: _Queue, own: int, deadline_seconds: float) -> float:
    """How much too late the account's next job would begin. Accounts take turns."""
    if queue.per_second is None:
        return 0.0
    ahead = queue.waiting
    if queue.accounts < MOST_ACCOUNTS:
        ahead = min(ahead, (own + 1) * (queue.accounts + 1))
    return ahead / queue.per_second - WAITING_SHARE * deadline_seconds
