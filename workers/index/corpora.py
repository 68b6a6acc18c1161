"""Refreshing a corpus: visit its pages, index what changed, drop what is gone."""

import itertools
import time
from collections.abc import Callable
from uuid import UUID

from app.core.config.settings import Settings
from app.core.db import Tx
from app.domains.library.corpora import page_store, store
from app.domains.library.corpora import service as corpora
from app.domains.library.corpora.folder import FolderVisitor
from app.domains.library.corpora.frontier import Frontier
from app.domains.library.corpora.options import Options, read_options
from app.domains.library.corpora.store import Corpus
from app.domains.library.corpora.visits import KnownPage
from app.domains.library.corpora.web import PageVisitor
from app.domains.queue.jobs.service import Finish
from app.engine.fetch import FetchFailed
from app.engine.pages.site.scope import Scope
from app.engine.sandbox.reader import page_reader
from app.engine.sandbox.sites import landing, listed_pages
from app.engine.sandbox.visit import TEMPORARY
from workers.index import changes, embeddings
from workers.index.compaction import compact
from workers.index.crawl import CorpusSource, Crawl, End
from workers.index.web_documents import reach
from workers.queue.attempt import Attempt, handles

MERGE_EVERY = 32  # batches: postings added in small blocks make queries slower
SLICE_SECONDS = 60.0  # then other work of the queue gets its turn
# A job of a large pass first reads what the others have done: it works several times as long.
SLICE_PER_SETUP = 4


@handles(corpora.REFRESH)
def refresh(attempt: Attempt) -> Finish:
    """Continue the refresh of one corpus, and enqueue the rest.

    Raises CorpusUnreadable when the pass is complete and not one page could be read.
    """
    began = time.monotonic()
    corpus_id = UUID(attempt.payload["corpus_id"])
    with attempt.step() as tx:
        corpus = corpora.begin(tx, corpus_id, attempt.id)
        known = page_store.known(tx, corpus_id) if corpus else {}
    if corpus is None or corpus.pass_id is None:
        attempt.stage("skipped", 100)
        return lambda tx: None
    reached = attempt.payload.get("reached", {})
    attempt.stage("looking", 0, **reached)
    options = read_options(corpus.options)
    source = _source(attempt.settings, corpus, options, known)
    frontier = Frontier(options.max_pages, source.max_depth)
    crawl = Crawl(attempt, corpus_id, corpus.pass_id, source, frontier, _merging(attempt))
    crawl.resume(reached)
    attempt.stage("reading", 0, **crawl.facts())
    end = crawl.run(_slice_seconds(attempt, time.monotonic() - began))
    if end is End.RESTING:
        compact(attempt, lightly=True)
        return lambda tx: _rest(tx, attempt, crawl)
    return _tidy(attempt, crawl, complete=end is End.COMPLETE)


def _slice_seconds(attempt: Attempt, setup: float) -> float:
    """Returns how long the crawl may go on: long beside its setup, and well within the deadline."""
    return min(max(SLICE_SECONDS, SLICE_PER_SETUP * setup), attempt.seconds_left / 2)


def _rest(tx: Tx, attempt: Attempt, crawl: Crawl) -> None:
    corpora.go_on(tx, crawl.corpus_id, crawl.reached())
    embeddings.promise(tx, attempt.settings)


def _tidy(attempt: Attempt, crawl: Crawl, *, complete: bool) -> Finish:
    """The pass is complete: drop what it did not meet, merge what it added."""
    with attempt.step() as tx:
        readable = corpora.readable(tx, crawl.corpus_id, crawl.pass_id)
        if not readable:
            store.end_pass(tx, crawl.corpus_id)
    if not readable:
        raise corpora.CorpusUnreadable(why=f"{crawl.tally.failed} pages failed")
    attempt.stage("tidying", 95, **crawl.facts())
    removed = _sweep(attempt, crawl) if complete else 0
    changes.promise(attempt.settings)
    compact(attempt)
    attempt.report("tidying", 99, **crawl.facts(), removed=removed, complete=complete)

    def finish(tx: Tx) -> None:
        end_pass = corpora.finish if complete else store.end_pass
        end_pass(tx, crawl.corpus_id)
        embeddings.promise(tx, attempt.settings)

    return finish


def _source(
    settings: Settings,
    corpus: Corpus,
    options: Options,
    known: dict[str, KnownPage],
) -> CorpusSource:
    reader = page_reader()
    reader.warm()
    if corpus.kind == "folder":
        folder = FolderVisitor(corpus.id, corpus.name, corpus.location, options, known, reader)
        return CorpusSource(folder.addresses(), folder.visit, 1, 0)
    web = reach(settings, settings.fetch_allow)
    try:
        threads = web.threads(corpus.location)
    except FetchFailed as refused:
        raise corpora.CorpusUnreadable(why=str(refused)) from refused
    start = landing(web, corpus.location) if corpus.kind == "site" else corpus.location
    scope = Scope.of(start, options.include, options.exclude)
    if corpus.kind == "site":
        pages = PageVisitor(web, corpus.id, scope, known, threads)
        return CorpusSource([start], pages.visit, threads, options.max_depth)
    listed = listed_pages(web, start, scope, options.max_pages)
    # What a sitemap that is down for the moment listed is not gone.
    listed_before = (page.url for page in known.values() if page.indexed)
    seeds = [*listed.pages, *(listed_before if TEMPORARY & listed.failures else ())]
    pages = PageVisitor(web, corpus.id, listed.scope, known, threads)
    return CorpusSource(seeds, pages.visit, threads, 0)


def _sweep(attempt: Attempt, crawl: Crawl) -> int:
    return attempt.drain(lambda tx: corpora.sweep(tx, crawl.corpus_id, crawl.pass_id))


def _merging(attempt: Attempt) -> Callable[[], None]:
    """Merges postings now and then, and tells a following index; for each batch of pages."""
    batches = itertools.count(1)

    def merge() -> None:
        changes.promise(attempt.settings)
        if next(batches) % MERGE_EVERY == 0:
            compact(attempt, lightly=True)

    return merge
