"""A pool of workers without processes: it begins what is sent to its queue and ends the oldest."""

from collections import deque

from app.domains.queue.jobs.attempt_store import ClaimedJob
from tests.integration.jobs import rows
from workers.queue.dispatcher import Dispatcher
from workers.queue.messages import LATER, _job_ids

WORKED_SECONDS = 1.0
"""What a job says it took: longer ones travel alone."""


class Pool:
    """As many places as it was given; jobs begin in the order in which workers read messages."""

    def __init__(self, dispatcher: Dispatcher, queue: str, places: int) -> None:
        self._dispatcher, self._queue, self._places = dispatcher, queue, places
        self._held: deque[ClaimedJob] = deque()
        self._broker = dispatcher.redis

    def turn(self) -> list[ClaimedJob]:
        """One job ends, dispatchers look, and what has a place then begins."""
        if self._held:
            rows.end(self._held.popleft(), WORKED_SECONDS)
        self._dispatcher.dispatch()
        begun = []
        while len(self._held) < self._places and (message := self._next()):
            (id,) = _job_ids(message)
            self._held.append(rows.take(id))
            begun.append(self._held[-1])
        return begun

    def _next(self) -> bytes | None:
        both = (self._broker.rpop(name) for name in (self._queue, self._queue + LATER))
        return next(filter(None, both), None)
