"""Reading the sites of accounts into their corpora, and deleting what they deleted."""

import time
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.domains.library.corpora.visits import KnownPage
from app.domains.library.corpora.web import PageVisitor
from app.domains.library.documents.quota import Quota
from app.domains.library.sites import page_store, pages
from app.domains.library.sites import service as sites
from app.domains.library.sites.page_store import WaitingPage
from app.domains.library.sites.store import OwnSite
from app.domains.queue.jobs.service import Finish
from app.engine.pages.site.scope import Scope
from app.engine.sandbox.sites import Web, landing, listed_pages
from app.engine.sandbox.visit import TEMPORARY
from workers.index import embeddings
from workers.index.compaction import compact
from workers.index.web_documents import web_of
from workers.queue.attempt import Attempt, handles

SLICE_SECONDS = 10.0  # then others' documents get their turn
# A host that fails so often in a row is down: the rest would fail as slowly.
HOPELESS = 20
MOST_SITEMAPS = 20  # of one site: they are read in one go
_PAGES_AT_ONCE = 20


@handles(sites.READ)
def read(attempt: Attempt) -> Finish:
    """Visit some pages of a site; the rest behind other work."""
    site_id = UUID(attempt.payload["site_id"])
    attempt.stage("looking", 0)
    with attempt.step() as tx:
        site = sites.begin(tx, site_id, attempt.id)
    if site is None:
        return lambda _tx: None
    web = web_of(attempt.settings)
    if site.pass_id is None:
        seeds = _seeds(web, site)
        with attempt.step() as tx:
            sites.begin_pass(tx, site_id, attempt.id, seeds)
    reading = SiteReading(attempt, site, web)
    return reading.finish(rest=reading.run())


def _scope(site: OwnSite, url: str) -> Scope:
    return Scope.of(url, tuple(site.include_paths), tuple(site.exclude_paths))


def _seeds(web: Web, site: OwnSite) -> list[str]:
    if site.kind == "sitemap":
        scope = _scope(site, site.url)
        return listed_pages(web, site.url, scope, site.max_pages, MOST_SITEMAPS).pages
    return [landing(web, site.url)]


class SiteReading:
    """One job's share of a pass over the pages of a site."""

    def __init__(self, attempt: Attempt, site: OwnSite, web: Web) -> None:
        self._attempt, self._site, self._quota = attempt, site, Quota.of(attempt.settings)
        self._web = web
        self._failed_in_a_row: int = attempt.payload.get("failed_in_a_row", 0)
        self._outcome = ""
        self._visited = 0

    def run(self) -> bool:
        """Visit what waits for some seconds, at least one page; True if some is left."""
        until = time.monotonic() + SLICE_SECONDS
        while waiting := self._next():
            for page in waiting:
                self._visit(page)
                if self._hopeless():
                    return False
                if time.monotonic() >= until:
                    with db.reading() as reader:
                        return page_store.any_waiting(reader, self._site.id)
        return False

    def _next(self) -> list[WaitingPage]:
        with db.reading() as reader:
            return page_store.next_pages(
                reader, self._site.id, self._site.corpus_id, _PAGES_AT_ONCE
            )

    def _visit(self, page: WaitingPage) -> None:
        known = KnownPage(
            id=page.document_id or ids.new(),
            url=page.url,
            content_hash=None,
            etag=page.etag,
            last_modified=page.last_modified,
            indexed=page.document_id is not None,
        )
        # A site stays at the origin where it really begins, which need not be that of its address.
        scope = _scope(self._site, page.url)
        visitor = PageVisitor(self._web, self._site.corpus_id, scope, {page.url: known}, 1)
        visit = visitor.visit(page.url)
        with self._attempt.step() as tx:
            self._outcome = pages.take(tx, self._site, page, visit, self._quota)
        self._failed_in_a_row = self._failed_in_a_row + 1 if self._outcome in TEMPORARY else 0
        self._visited += 1
        self._attempt.report("reading", 50, visited=self._visited)

    def _hopeless(self) -> bool:
        return self._failed_in_a_row >= HOPELESS

    def finish(self, *, rest: bool) -> Finish:
        """Promise the rest, or say that the pass is over."""
        compact(self._attempt, lightly=True)
        gave_up = self._outcome if self._hopeless() else None

        def finish(tx: Tx) -> None:
            if rest:
                sites.go_on(tx, self._site, self._failed_in_a_row)
            else:
                sites.finish(tx, self._site, gave_up)
            embeddings.promise(tx, self._attempt.settings)

        return finish


@handles(sites.FORGET)
def forget(attempt: Attempt) -> Finish:
    """Delete the documents of a deleted site, some in each transaction."""
    account_id, site_id = (UUID(attempt.payload[key]) for key in ("account_id", "site_id"))
    attempt.stage("deleting", 0)
    attempt.drain(lambda tx: sites.forget_documents(tx, account_id, site_id))
    compact(attempt)
    return lambda _tx: None
