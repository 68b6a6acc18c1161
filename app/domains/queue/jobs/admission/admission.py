"""Admission of new work: only what has room, and can be done by its deadline.

Counts are bounded and read at most once a second, so that asking costs little however much waits.
"""

import math
import threading
import time
from uuid import UUID

from app.core.db import Tx
from app.core.errors import Overloaded, RateLimited
from app.domains.queue.jobs.admission import admission_store
from app.domains.queue.jobs.admission.backlogs import (
    MOST_ACCOUNTS,
    Backlog,
    rest_seconds,
    retry_seconds,
)
from app.domains.queue.jobs.kinds import Kind

WAITING_SHARE = 0.75  # of a deadline; the rest is for the work


class Backpressure:
    """Refuses new work while too much waits, and says when room is expected. One per process.

    An account may have as much waiting as there is room left in the queue: however many take all
    they get, there is room for the next one. And nothing is accepted that would not come to its
    turn by its deadline, at the rate at which the queue drains.
    """

    def __init__(self, queue_limit: int, account_limit: int) -> None:
        self._queue_limit, self._account_limit = queue_limit, account_limit
        self._backlogs: dict[str, Backlog] = {}
        self._own: dict[tuple[str, UUID], tuple[float, int]] = {}
        self._looking = threading.Lock()

    def check(
        self, tx: Tx, kind: Kind, account_id: UUID, deadline_seconds: float | None = None
    ) -> None:
        """Raises Overloaded (503) or RateLimited (429) when a job of the account has no room."""
        now = time.monotonic()
        backlog = self._backlogs.setdefault(kind.queue, Backlog())
        if now >= backlog.until and self._looking.acquire(blocking=False):
            try:  # one thread looks; the others go by what was seen before
                backlog.look(tx, kind.queue, self._queue_limit, now)
            finally:
                self._looking.release()
        until, own = self._own_waiting(tx, kind.queue, account_id, now)
        room = self._queue_limit - backlog.waiting
        if own and own >= min(room, self._account_limit):
            full = own >= self._account_limit
            accounts = backlog.accounts(tx, kind.queue, now) if full else 1
            ahead = jobs_until_share(own, room, self._account_limit, accounts)
            seconds = retry_seconds(ahead, backlog.per_second)
            raise RateLimited(retry_after=max(seconds, math.ceil(until - now)))
        if room <= 0:
            raise Overloaded(retry_after=retry_seconds(1 - room, backlog.per_second))
        late = backlog.waiting - _jobs_in_time(backlog, deadline_seconds or kind.deadline_seconds)
        if late > 0:  # unless its turn comes before that of others
            accounts = backlog.accounts(tx, kind.queue, now)
            late -= _jobs_overtaken(backlog.waiting, own, accounts)
        if late > 0:
            raise Overloaded(retry_after=retry_seconds(late, backlog.per_second))

    def admit(
        self, tx: Tx, kind: Kind, account_id: UUID, deadline_seconds: float | None = None
    ) -> None:
        """As `check`, for a job that is made now: it counts until the counts are read again."""
        self.check(tx, kind, account_id, deadline_seconds)
        self._backlogs[kind.queue].admit()
        until, own = self._own.get((kind.queue, account_id), (0.0, 0))
        self._own[kind.queue, account_id] = (until, own + 1)

    def _own_waiting(self, tx: Tx, queue: str, account_id: UUID, now: float) -> tuple[float, int]:
        """Until when the count is good, and the count."""
        until, own = self._own.get((queue, account_id), (0.0, 0))
        if now >= until:
            if len(self._own) > 10_000:
                self._own.clear()
            own = admission_store.own_waiting(tx, queue, account_id, self._account_limit)
            until = now + rest_seconds(own)
            self._own[queue, account_id] = (until, own)
        return until, own


def jobs_until_share(own: int, room: int, account_limit: int, accounts: int) -> int:
    """The number of jobs that begin until an account may have another one waiting.

    Each that begins makes room, and every `accounts`-th is its own, since accounts take turns.
    """
    until_room = own - room + 1
    until_own = (own - account_limit + 1) * max(1, accounts)
    return max(until_room, until_own)


def _jobs_in_time(backlog: Backlog, deadline_seconds: float) -> float:
    """The number of jobs that begin before it is too late for one that comes now."""
    if backlog.per_second is None:
        return math.inf
    return WAITING_SHARE * deadline_seconds * backlog.per_second


def _jobs_overtaken(waiting: int, own: int, accounts: int) -> int:
    """The number of waiting jobs that the account's next one passes, since accounts take turns."""
    if accounts >= MOST_ACCOUNTS:
        return 0
    return max(0, waiting - (own + 1) * (accounts + 1))
