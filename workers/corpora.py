"""Refreshing a corpus: visit its pages, index what changed, drop what is gone."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from uuid import UUID

import psycopg

from app.core import db, events, ids
from app.core.config import Settings
from app.core.db import Tx
from app.core.hostgate import RedisHostGate
from app.domains.corpora import service as corpora
from app.domains.corpora.folder import FolderVisitor
from app.domains.corpora.frontier import Frontier
from app.domains.corpora.scope import Scope
from app.domains.corpora.visits import (
    INDEXED,
    REDIRECTED,
    ROBOTS_UNREACHABLE,
    UNCHANGED,
    WELL,
    Known,
    Visit,
)
from app.domains.corpora.web import PageVisitor, Web, landing, listed_pages, make_web
from app.domains.jobs import service as jobs
from app.domains.passages import service as passages
from app.engine.fetch import Fetcher, FetchFailed, LocalGate, Policy, parse_allow_list, user_agent
from app.engine.text.analysis import Analyzer
from workers import embedding
from workers.queue.attempt import Attempt, handles

BATCH, BATCH_PASSAGES = 20, 2_000  # pages and passages of one transaction
MERGE_EVERY = 32  # batches: postings added in small blocks make queries slower
FLUSH_SECONDS = 5.0  # so much work a dead worker may cost
POLL_SECONDS = 0.5
# A host that fails so often in a row is down: the rest would fail as slowly.
HOPELESS = 20
_TEMPORARY = frozenset({
    ROBOTS_UNREACHABLE, "timeout", "connect_failed", "dns_failed",
    "http_429", "http_500", "http_502", "http_503", "http_504",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """Where the pages of a corpus come from."""

    seeds: Iterable[str]
    visit: Callable[[str], Visit]
    threads: int
    max_depth: int


@dataclass(slots=True)
class Tally:
    """What the refresh has done, as its progress shows it."""

    fetched: int = 0
    indexed: int = 0
    unchanged: int = 0
    failed: int = 0
    bytes: int = 0

    def count(self, page: corpora.Recorded) -> None:
        self.fetched += 1
        self.indexed += page.outcome == INDEXED
        self.unchanged += page.outcome == UNCHANGED
        self.failed += page.outcome not in WELL
        self.bytes += page.size


@handles(corpora.REFRESH)
def refresh(attempt: Attempt) -> jobs.Finish:
    """Bring one corpus up to date. Raises CorpusUnreadable when not one page could be read."""
    corpus_id = UUID(attempt.payload["corpus_id"])
    with attempt.step() as tx:
        corpus = corpora.begin(tx, corpus_id, attempt.id)
        known = corpora.known(tx, corpus_id) if corpus else {}
    if corpus is None:
        attempt.stage("skipped", 100)
        return lambda tx: None
    attempt.stage("looking", 0)
    options = corpora.settings_of(corpus)
    source = _source(attempt.settings, corpus, options, known)
    frontier = Frontier(options.max_pages, source.max_depth)
    crawl = Crawl(attempt, corpus_id, source, frontier)
    crawl.resume()
    attempt.stage("reading", 0, found=frontier.found)
    complete = crawl.run()
    with attempt.step() as tx:
        readable = corpora.readable(tx, corpus_id, attempt.id)
    if not readable:
        raise corpora.CorpusUnreadable(why=f"{crawl.tally.failed} pages failed")
    attempt.stage("tidying", 95, **crawl.facts())
    removed = _sweep(attempt, corpus_id) if complete else 0
    _compact(attempt)
    attempt.report("tidying", 99, **crawl.facts(), removed=removed, complete=complete)

    def finish(tx: Tx) -> None:
        if complete:
            corpora.finish(tx, corpus_id)
        embedding.promise(tx, attempt.settings)

    return finish


def _source(
    settings: Settings, corpus: corpora.Corpus, options: corpora.Options, known: dict[str, Known]
) -> Source:
    analyzer = Analyzer()
    if corpus.kind == "folder":
        folder = FolderVisitor(corpus.id, corpus.name, corpus.location, options, known, analyzer)
        return Source(folder.addresses(), folder.visit, 1, 0)
    web = _web(settings, analyzer)
    try:
        threads = web.threads(corpus.location)
    except FetchFailed as refused:
        raise corpora.CorpusUnreadable(why=str(refused)) from refused
    start = landing(web, corpus.location) if corpus.kind == "site" else corpus.location
    scope = Scope.of(start, options)
    pages = PageVisitor(web, corpus.id, scope, known, threads)
    if corpus.kind == "site":
        return Source([start], pages.visit, threads, options.max_depth)
    listed = listed_pages(web, corpus.location, scope, options.max_pages)
    return Source(listed, pages.visit, threads, 0)


def _web(settings: Settings, analyzer: Analyzer) -> Web:
    policy = Policy(
        user_agent=user_agent(settings.fetch_contact), allow=parse_allow_list(settings.fetch_allow)
    )
    gate = RedisHostGate(events.connect(settings.redis_url), LocalGate())
    return make_web(Fetcher(policy), gate, settings.fetch_gap_seconds, analyzer)


@dataclass(slots=True)
class Crawl:
    """One attempt at visiting every page of a corpus, breadth first.

    Pages are fetched and read in threads, a few ahead; their results are taken in the order they
    were asked for, so that a crawl of the same pages is the same crawl.
    """

    attempt: Attempt
    corpus_id: UUID
    source: Source
    frontier: Frontier
    tally: Tally = field(default_factory=Tally)
    _buffer: list[Visit] = field(default_factory=list)
    _flushed: float = field(default_factory=time.monotonic)
    _failures_in_a_row: int = 0
    _tried_again: set[str] = field(default_factory=set)
    _batches: int = 0

    def resume(self) -> None:
        """Take over what a former attempt has done."""
        with db.transaction() as tx:
            for page in corpora.seen(tx, self.corpus_id, self.attempt.id):
                self.frontier.done(page.url)
                self.tally.fetched += 1
            for page in corpora.seen(tx, self.corpus_id, self.attempt.id):
                self.frontier.add(page.links, page.depth + 1)
        self.frontier.add(self.source.seeds, 0)

    def run(self) -> bool:
        """Visit what is waiting. Whether all that could be found was visited."""
        with _pool(self.source.threads) as pool:
            pending: deque[tuple[str, int, Future[Visit]]] = deque()
            while self._submit(pool, pending) or self._buffer:
                if not pending:
                    self._flush()
                    continue
                url, depth, future = pending.popleft()
                self._take(url, depth, self._wait(future))
                if self._failures_in_a_row >= HOPELESS:
                    self._flush()
                    return False
        return True

    def _submit(
        self, pool: ThreadPoolExecutor, pending: deque[tuple[str, int, Future[Visit]]]
    ) -> bool:
        """Keep the threads busy; False when nothing is waiting or on its way."""
        while len(pending) < 2 * self.source.threads and (next_page := self.frontier.take()):
            url, depth = next_page
            pending.append((url, depth, pool.submit(self.source.visit, url)))
        return bool(pending)

    def _wait(self, future: Future[Visit]) -> Visit:
        while True:
            try:
                return future.result(timeout=POLL_SECONDS)
            except NotYet:
                if future.done():
                    raise  # the visit's own
                self.attempt.check()

    def _take(self, asked: str, depth: int, visit: Visit) -> None:
        self._judge(asked, depth, down=visit.outcome in _TEMPORARY)
        if visit.url != asked:
            self._buffer.append(self._signpost(asked, depth, visit))
            if not self.frontier.claim(visit.url):
                return
        if visit.links:
            self.frontier.add(visit.links, depth + 1)
        self._buffer.append(replace(visit, depth=depth))
        if self._full():
            self._flush()

    def _judge(self, asked: str, depth: int, *, down: bool) -> None:
        """What failed for the moment is tried once more at the end; only that result counts."""
        self._failures_in_a_row = self._failures_in_a_row + 1 if down else 0
        if asked in self._tried_again:
            if any(waiting.url == asked for waiting in self._buffer):
                self._flush()
            self.tally.fetched -= 1
            self.tally.failed -= 1
        elif down:
            self._tried_again.add(asked)
            self.frontier.again(asked, depth)

    def _full(self) -> bool:
        spans = sum(len(visit.prepared.spans) for visit in self._buffer if visit.prepared)
        late = time.monotonic() - self._flushed > FLUSH_SECONDS
        return late or len(self._buffer) >= BATCH or spans >= BATCH_PASSAGES

    @staticmethod
    def _signpost(asked: str, depth: int, visit: Visit) -> Visit:
        """The address that only led to the page."""
        return Visit(
            id=ids.new(),
            url=asked,
            outcome=REDIRECTED,
            links=(visit.url,),
            fetched_at=visit.fetched_at,
            depth=depth,
        )

    def _flush(self) -> None:
        with self.attempt.step() as tx:
            recorded = corpora.record(tx, self.corpus_id, self.attempt.id, self._buffer)
        self._buffer, self._flushed = [], time.monotonic()
        for page in recorded:
            self.tally.count(page)
            self.frontier.add(page.links, page.depth + 1)
        percent = 5 + 90 * self.tally.fetched // max(1, self.frontier.found, self.tally.fetched)
        self.attempt.report("reading", percent, **self.facts())
        self._batches += 1
        if self._batches % MERGE_EVERY == 0:
            _compact(self.attempt, lightly=True)

    def facts(self) -> dict[str, int]:
        return {
            "found": max(self.frontier.found, self.tally.fetched),
            "fetched": self.tally.fetched,
            "indexed": self.tally.indexed,
            "unchanged": self.tally.unchanged,
            "failed": self.tally.failed,
            "bytes": self.tally.bytes,
        }


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool whose visits are not waited for when the refresh is given up."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="visit")
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _sweep(attempt: Attempt, corpus_id: UUID) -> int:
    removed = 0
    while True:
        with attempt.step() as tx:
            gone = corpora.sweep(tx, corpus_id, attempt.id)
        if not gone:
            return removed
        removed += gone


def _compact(attempt: Attempt, *, lightly: bool = False) -> None:
    after: int | None = 0
    while after is not None:
        with attempt.step() as tx:
            after = passages.compact(tx, after, lightly=lightly)
    with attempt.step() as tx:
        passages.forget_snapshots(tx)
    # A vacuum that takes too long, or that a database away refuses, is autovacuum's to do later.
    with suppress(psycopg.OperationalError), db.reading() as tx:
        passages.make_room(tx)
