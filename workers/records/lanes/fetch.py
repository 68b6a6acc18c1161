"""Fetches pages of a lane ahead of their reader, at the pace that each host allows."""

import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from app.core import tracing
from app.domains.records.page_jobs.runs.page_store import JobPage
from app.engine.fetch import Response
from app.engine.sandbox.visit import Outcome
from workers.records.lanes.web import HostResting

THREADS = 8
AHEAD_BYTES = 32 << 20  # of pages that wait for their reader; more are not fetched meanwhile
POLL_SECONDS = 0.5

Fetched = Response | Outcome


@dataclass(slots=True)
class FetchQueue:
    """Pages on their way, and those that wait for their reader. `rest_seconds` is how soon a host
    that wants a rest may be asked again, once that ended the fetching of its pages."""

    fetch: Callable[[JobPage], Fetched]
    check: Callable[[], None]
    rest_seconds: float | None = None
    _waiting: deque[deque[JobPage]] = field(default_factory=deque)
    _pending: dict[Future[Fetched], deque[JobPage]] = field(default_factory=dict)

    def run(
        self, pages: Sequence[JobPage], unpaced: Collection[str], seconds: float
    ) -> Generator[tuple[JobPage, Fetched]]:
        """Each page with what came, as it comes. None is begun after so many seconds; those that
        were begun before still come: a slow reader costs no site a second visit."""
        until = time.monotonic() + seconds
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="fetch")
        self._waiting.extend(_chains(pages, unpaced))
        try:
            self._begin(pool)
            while self._pending:
                for future in self._done():
                    chain = self._pending.pop(future)
                    page = chain.popleft()
                    try:
                        fetched = future.result()
                    except HostResting as resting:
                        self._rest(resting.seconds)
                    else:
                        yield page, fetched
                        if chain:
                            self._waiting.append(chain)
                    if time.monotonic() < until:
                        self._begin(pool)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self, pool: ThreadPoolExecutor) -> None:
        while self._waiting and len(self._pending) < THREADS and self._held_bytes() < AHEAD_BYTES:
            chain = self._waiting.popleft()
            self._pending[pool.submit(tracing.inherited(self.fetch), chain[0])] = chain

    def _held_bytes(self) -> int:
        """Of the pages that came and were not read yet."""
        came = (each.result() for each in self._pending if each.done() and not each.exception())
        return sum(len(each.body) for each in came if isinstance(each, Response))

    def _done(self) -> Collection[Future[Fetched]]:
        while True:
            done, _ = wait(self._pending, POLL_SECONDS, FIRST_COMPLETED)
            self.check()
            if done:
                return done

    def _rest(self, seconds: float) -> None:
        self.rest_seconds = min(seconds, self.rest_seconds or seconds)


def _chains(pages: Sequence[JobPage], unpaced: Collection[str]) -> list[deque[JobPage]]:
    """Pages that are fetched one after another: those of a host, or, where a host needs no pause,
    as many lines of them as there are threads."""
    chains: dict[str | int, deque[JobPage]] = {}
    for place, page in enumerate(pages):
        key = place % THREADS if page.host in unpaced else page.host
        chains.setdefault(key, deque()).append(page)
    return list(chains.values())
