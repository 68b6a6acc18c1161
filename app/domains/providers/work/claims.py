"""The way of a claim: draw, wait while there is nothing, and make the inputs of what was given."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core import db, log, metrics
from app.core.config.settings import Settings
from app.core.errors import AppError
from app.core.redis.events import connect
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import outcomes, wakeups
from app.domains.providers.work.assignment import Draw, WorkRequest
from app.domains.providers.work.kinds import kind_of
from app.domains.providers.work.service import MOST_CLAIMS
from app.domains.providers.work.store import HeldItem
from app.domains.providers.work.wakeups import OpenClaim, Waiter, Waiters

logger = log.get(__name__)

RETRY_SECONDS: Final = 5
PAUSED_SECONDS: Final = 30
"""How long a node that gets nothing at all is told to wait."""


@dataclass(frozen=True, slots=True)
class AssignedWork:
    """Work in the form that nodes get it; without any, when to ask again."""

    work: list[dict[str, Any]]
    retry_after: int = 0


class _Places:
    """The number of claims that may wait in this process; of one account at most half of them."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._taken: Counter[UUID] = Counter()

    @contextmanager
    def taken(self, account_id: UUID) -> Iterator[bool]:
        """Takes a place if there is one, and holds it inside."""
        with self._lock:
            own = self._taken[account_id]
            free = self._taken.total() < self._most and own < max(1, self._most // 2)
            if free:
                self._taken[account_id] += 1
        try:
            yield free
        finally:
            if free:
                with self._lock:
                    self._taken[account_id] -= 1
                    self._taken = +self._taken


class ClaimBroker:
    """The place where nodes get their work. One per process; opens transactions."""

    def __init__(self, draw: Draw, settings: Settings) -> None:
        self._draw, self._places = draw, _Places(settings.claim_slots)
        self._waiters = Waiters(connect(settings.redis_url), self._unheld)

    def _unheld(self, kinds: Sequence[str], node_ids: Sequence[UUID]) -> list[OpenClaim]:
        with db.reading() as reader:
            return self._draw.unheld(reader, kinds) + self._draw.just_given(reader, node_ids)

    def claim(
        self,
        wanted: WorkRequest,
        wait_seconds: float,
        identify: Callable[[], object],
        *,
        idle: bool,
    ) -> AssignedWork:
        """Gives the node what there is, or what comes within `wait_seconds`. Raises NodeNotFound,
        and what `identify` raises when the credential has ended meanwhile.

        An `idle` node gets what it has, and does not wait.
        """
        if idle or not wait_seconds:
            return AssignedWork(self._taken(wanted), PAUSED_SECONDS if idle else _retry_seconds())
        with self._places.taken(wanted.account_id) as free:
            if not free:
                return AssignedWork(self._taken(wanted), _retry_seconds())
            with metrics.claims_waiting.track_inprogress():
                until = time.monotonic() + wait_seconds
                return AssignedWork(self._awaited(wanted, until, identify))

    def _awaited(
        self, wanted: WorkRequest, until: float, identify: Callable[[], object]
    ) -> list[dict[str, Any]]:
        """Ask after joining, then whenever woken, unless the node is to get nothing any more."""
        waiter = Waiter(wanted.node_id, wanted.account_id, frozenset(wanted.kinds), wanted.key)
        while True:
            with self._waiters.joined(waiter):
                woken_before = waiter.woken.is_set()
                waiter.woken.clear()
                if (work := self._taken(wanted)) or (woken_before and self._idle(wanted)):
                    return work
                left = until - time.monotonic()
                if left <= 0:
                    return []
                waiter.woken.wait(left)
                identify()

    @staticmethod
    def _idle(wanted: WorkRequest) -> bool:
        with db.reading() as reader:
            return nodes.by_id(reader, wanted.node_id).idle

    def _taken(self, wanted: WorkRequest) -> list[dict[str, Any]]:
        with db.transaction(pipeline=True) as tx:
            rows = self._draw.claim(tx, wanted)
        work = [ready for row in rows if (ready := _prepared(row))]
        for item in work:
            metrics.work_given.labels(item["kind"]).inc()
        return work

    def wake_repetitions(self, wanted: WorkRequest) -> None:
        """Call once the answer was sent: it may have gone to a poll that was given up, so another
        with the same key looks.
        """
        # No other claim of the node is woken: it would compete with the answer for nothing.
        repetitions = wakeups.for_key(wanted.node_id, wanted.key)
        self._waiters.wake(repetitions, MOST_CLAIMS)
        wakeups.notify(repetitions, MOST_CLAIMS)


def _retry_seconds() -> int:
    return RETRY_SECONDS + random.randint(-2, 2)  # noqa: S311 (spreads load)


def _prepared(item: HeldItem) -> dict[str, Any] | None:
    """The item with its input; None when there is none, which is not the node's fault."""
    try:
        made = kind_of(item.kind).load(item)
    except Exception:
        logger.exception("input failed", kind=item.kind, work_id=str(item.id))
        with db.transaction() as tx:
            outcomes.postpone(tx, item, AppError())
        return None
    if made is None:
        with db.transaction() as tx:
            outcomes.withdraw(tx, [item.id], held=True)
        return None
    return {
        "id": item.id,
        "kind": item.kind,
        "fence": item.fence,
        "lease_until": item.lease_until,
        "deadline_at": item.deadline_at,
        "input": made,
    }
