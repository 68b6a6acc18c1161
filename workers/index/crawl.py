"""Visiting the pages of a corpus, breadth first, for as long as one job may."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from uuid import UUID

from app.core import db, ids, tracing
from app.domains.library.corpora import differences, page_store
from app.domains.library.corpora.frontier import Frontier
from app.domains.library.corpora.visits import (
    INDEXED,
    REDIRECTED,
    UNCHANGED,
    WELL,
    Visit,
)
from app.engine.sandbox.visit import TEMPORARY
from workers.queue.attempt import Attempt

BATCH, BATCH_PASSAGES = 20, 2_000  # pages and passages of one transaction
FLUSH_SECONDS = 5.0  # so much work a dead worker may cost
POLL_SECONDS = 0.5
# A host that fails so often in a row is down: the rest would fail as slowly.
HOPELESS = 20


@dataclass(frozen=True, slots=True)
class CorpusSource:
    seeds: Iterable[str]
    visit: Callable[[str], Visit]
    threads: int
    max_depth: int


class End(Enum):
    COMPLETE = auto()  # all that could be found was visited
    HOPELESS = auto()  # the host is down
    RESTING = auto()  # its time is up; another job continues


@dataclass(slots=True)
class CrawlTally:
    """The tally of what the pass has done, as its progress shows it."""

    fetched: int = 0
    indexed: int = 0
    unchanged: int = 0
    failed: int = 0
    bytes: int = 0

    def count(self, outcome: str, size: int = 0) -> None:
        self.fetched += 1
        self.indexed += outcome == INDEXED
        self.unchanged += outcome == UNCHANGED
        self.failed += outcome not in WELL
        self.bytes += size


@dataclass(slots=True)
class Crawl:
    """One job's share of a pass over the pages of a corpus.

    Pages are fetched and read in threads, a few ahead; their results are taken in the order they
    were asked for, so that a crawl of the same pages is the same crawl.
    """

    attempt: Attempt
    corpus_id: UUID
    pass_id: UUID
    source: CorpusSource
    frontier: Frontier
    flushed: Callable[[], None]
    tally: CrawlTally = field(default_factory=CrawlTally)
    _buffer: list[Visit] = field(default_factory=list)
    _flushed_at: float = field(default_factory=time.monotonic)
    _failures_in_a_row: int = 0
    _tried_before: set[str] = field(default_factory=set)
    _submitted: int = 0

    def resume(self, reached: Mapping[str, int]) -> None:
        """Take over what the pass has done; `reached` is what its last job reported."""
        self.tally.bytes = reached.get("bytes", 0)
        self._failures_in_a_row = reached.get("failed_in_a_row", 0)
        once_more = []
        with db.transaction() as tx:
            for page in page_store.seen(tx, self.corpus_id, self.pass_id):
                self.frontier.done(page.url, claimed=page.tries == 0)
                self.tally.count(page.outcome)
                if page.outcome in TEMPORARY and page.tries < 2:
                    once_more.append((page.url, page.depth))
            for page in page_store.seen(tx, self.corpus_id, self.pass_id):
                self.frontier.add(page.links, page.depth + 1)
        self.frontier.add(self.source.seeds, 0)
        for url, depth in once_more:
            self._tried_before.add(url)
            self.frontier.again(url, depth)

    def run(self, seconds: float) -> End:
        """Visit what is waiting: at least one page, and others for so long."""
        until = time.monotonic() + seconds
        with _pool(self.source.threads) as pool:
            pending: deque[tuple[str, int, Future[Visit]]] = deque()
            while self._submit(pool, pending, until) or self._buffer:
                if not pending:
                    self._flush()
                    continue
                url, depth, future = pending.popleft()
                self._take(url, depth, self._wait(future))
                if self._failures_in_a_row >= HOPELESS:
                    self._flush()
                    return End.HOPELESS
        return End.COMPLETE if self.frontier.is_empty else End.RESTING

    def _submit(
        self,
        pool: ThreadPoolExecutor,
        pending: deque[tuple[str, int, Future[Visit]]],
        until: float,
    ) -> bool:
        """Keep the threads busy until then; False when nothing is on its way."""
        while (
            len(pending) < 2 * self.source.threads
            and (not self._submitted or time.monotonic() < until)
            and (next_page := self.frontier.take())
        ):
            url, depth = next_page
            pending.append((url, depth, pool.submit(tracing.inherited(self.source.visit), url)))
            self._submitted += 1
        return bool(pending)

    def _wait(self, future: Future[Visit]) -> Visit:
        while True:
            try:
                return future.result(timeout=POLL_SECONDS)
            except TimeoutError:
                if future.done():
                    raise  # the visit's own
                self.attempt.check()

    def _take(self, url: str, depth: int, visit: Visit) -> None:
        tries = 2 if url in self._tried_before else 1
        self._judge(url, depth, down=visit.outcome in TEMPORARY)
        if visit.url != url:
            self._buffer.append(self._signpost(url, depth, tries, visit))
            if not self.frontier.claim(visit.url):
                return
            tries = 0
        if visit.links:
            self.frontier.add(visit.links, depth + 1)
        self._buffer.append(replace(visit, depth=depth, tries=tries))
        if self._full():
            self._flush()

    def _judge(self, url: str, depth: int, *, down: bool) -> None:
        """Tries once more at the end what failed for the moment; only that result counts."""
        self._failures_in_a_row = self._failures_in_a_row + 1 if down else 0
        if url in self._tried_before:
            if any(waiting.url == url for waiting in self._buffer):
                self._flush()
            self.tally.fetched -= 1
            self.tally.failed -= 1
        elif down:
            self._tried_before.add(url)
            self.frontier.again(url, depth)

    def _full(self) -> bool:
        spans = sum(len(visit.prepared.spans) for visit in self._buffer if visit.prepared)
        late = time.monotonic() - self._flushed_at > FLUSH_SECONDS
        return late or len(self._buffer) >= BATCH or spans >= BATCH_PASSAGES

    @staticmethod
    def _signpost(url: str, depth: int, tries: int, visit: Visit) -> Visit:
        return Visit(
            id=ids.new(),
            url=url,
            outcome=REDIRECTED,
            links=(visit.url,),
            fetched_at=visit.fetched_at,
            depth=depth,
            tries=tries,
        )

    def _flush(self) -> None:
        with self.attempt.step() as tx:
            recorded = differences.record(tx, self.corpus_id, self.pass_id, self._buffer)
        self._buffer, self._flushed_at = [], time.monotonic()
        for page in recorded:
            self.tally.count(page.outcome, page.size)
            self.frontier.add(page.links, page.depth + 1)
        percent = 5 + 90 * self.tally.fetched // max(1, self.frontier.found, self.tally.fetched)
        self.attempt.report("reading", percent, **self.facts())
        self.flushed()

    def facts(self) -> dict[str, int]:
        return {
            "found": max(self.frontier.found, self.tally.fetched),
            "fetched": self.tally.fetched,
            "indexed": self.tally.indexed,
            "unchanged": self.tally.unchanged,
            "failed": self.tally.failed,
            "bytes": self.tally.bytes,
        }

    def reached(self) -> dict[str, int]:
        """Returns what the next job of the pass has to know besides its pages."""
        return {**self.facts(), "failed_in_a_row": self._failures_in_a_row}


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool whose visits are not waited for when the refresh is abandoned."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="visit")
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
