"""Fetching the pages of a lane some ahead of their reader, each host as it wants to be asked."""

import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from app.domains.records.page_jobs.runs.page_store import JobPage
from app.engine.fetch import Response
from app.engine.sandbox.visit import Outcome
from workers.records.lanes.web import HostResting

THREADS = 8
POLL_SECONDS = 0.5

Fetched = Response | Outcome


@dataclass(slots=True)
class FetchQueue:
    """Pages on their way. `rest_seconds` is how soon a host that wants a rest may be asked again,
    once that ended the fetching of its pages."""

    fetch: Callable[[JobPage], Fetched]
    check: Callable[[], None]
    rest_seconds: float | None = None
    _pending: dict[Future[Fetched], deque[JobPage]] = field(default_factory=dict)

    def run(
        self, pages: Sequence[JobPage], unpaced: Collection[str], seconds: float
    ) -> Generator[tuple[JobPage, Fetched]]:
        """Each page with what came, as it comes; none is begun after so many seconds."""
        until = time.monotonic() + seconds
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="fetch")
        try:
            for chain in _chains(pages, unpaced):
                self._begin(pool, chain)
            while self._pending:
                for future in self._done():
                    chain = self._pending.pop(future)
                    page = chain.popleft()
                    try:
                        fetched = future.result()
                    except HostResting as resting:
                        self._rest(resting.seconds)
                        continue
                    yield page, fetched
                    if chain and time.monotonic() < until:
                        self._begin(pool, chain)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self, pool: ThreadPoolExecutor, chain: deque[JobPage]) -> None:
        self._pending[pool.submit(self.fetch, chain[0])] = chain

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
