"""Pages of an account's site as its reading keeps them: each is a document of the corpus."""

from dataclasses import replace
from typing import Final

from app.core.db import Tx
from app.domains.library.corpora.visits import (
    DUPLICATE,
    INDEXED,
    READ,
    REDIRECTED,
    UNCHANGED,
    Visit,
)
from app.domains.library.documents import corpus_store, site_store
from app.domains.library.documents import service as documents
from app.domains.library.documents.quota import Quota
from app.domains.library.documents.site_store import PageContent, PageDocument
from app.domains.library.documents.store import DocumentSize
from app.domains.library.passages import service as passages
from app.domains.library.passages.prepared import PreparedPage
from app.domains.library.sites import page_store, store
from app.domains.library.sites.page_store import WaitingPage
from app.domains.library.sites.store import OwnSite

MOST_DEPTH: Final = 20
"""Of links from where a site begins."""
QUOTA_EXCEEDED: Final = "quota_exceeded"


def take(tx: Tx, site: OwnSite, page: WaitingPage, visit: Visit, quota: Quota) -> str:
    """Write what a visit brought: the document, or that it is gone, and the links; the outcome.

    Done twice, it is done once. Nothing is written once the site is gone.
    """
    corpus_store.lock(tx, site.account_id)
    former = site_store.lock(tx, site.corpus_id, page.url)
    if not store.lock(tx, site.id):
        return visit.outcome
    moved = visit.url != page.url
    if moved:
        visit = replace(visit, outcome=REDIRECTED, prepared=None, links=(visit.url,))
    outcome = _kept(tx, site, former, visit, quota)
    depth = page.depth if moved else page.depth + 1
    if visit.links and (moved or site.kind == "site") and depth <= MOST_DEPTH:
        page_store.found(tx, site.id, visit.links, depth)
    page_store.record_visit(tx, site.id, page.url, outcome, visit.etag, visit.last_modified)
    return outcome


def _kept(tx: Tx, site: OwnSite, former: PageDocument | None, visit: Visit, quota: Quota) -> str:
    """Keep a page, or drop it; an uploaded document or another site's stays as it is."""
    if former is not None and former.site_id != site.id:
        if former.site_id is None or store.by_id(tx, former.site_id) is not None:
            return DUPLICATE
        _drop(tx, site, former)  # of a site that was deleted: it is to be forgotten anyway
        former = None
    if visit.prepared is not None and visit.outcome == READ:
        content = _content(visit, visit.prepared)
        if not site_store.is_copy(tx, site.id, visit.url, content.content_hash):
            return _read(tx, site, former, visit.prepared, content, quota)
        visit = replace(visit, outcome=DUPLICATE)
    if former is not None and visit.withdraws:
        _drop(tx, site, former)
    return visit.outcome


def _drop(tx: Tx, site: OwnSite, former: PageDocument) -> None:
    size = DocumentSize(former.id, site.corpus_id, former.bytes, former.passages)
    documents.drop(tx, site.account_id, [size])


def _content(visit: Visit, prepared: PreparedPage) -> PageContent:
    page = prepared.page
    return PageContent(
        visit.media_type, visit.size, page.content_hash, len(prepared.spans), page.lack
    )


def _read(
    tx: Tx,
    site: OwnSite,
    former: PageDocument | None,
    prepared: PreparedPage,
    content: PageContent,
    quota: Quota,
) -> str:
    now = content.content_hash, prepared.page.title  # both are searched
    if former is not None and (former.content_hash, former.title) == now:
        site_store.same(tx, former.id)
        return UNCHANGED
    more = {
        "documents": int(former is None),
        "bytes": content.bytes - (former.bytes if former else 0),
        "passages": content.passages - (former.passages if former else 0),
    }
    if not quota.fits(corpus_store.holding(tx, site.account_id), **more):
        return QUOTA_EXCEEDED
    id, owner = prepared.source_id, site.account_id
    if former is None:
        site_store.insert(tx, id, owner, site.corpus_id, site.id, prepared.url)
    site_store.keep(tx, id, passages.replace(tx, [prepared], owner)[id], content)
    corpus_store.count(tx, site.corpus_id, **more)
    return INDEXED
