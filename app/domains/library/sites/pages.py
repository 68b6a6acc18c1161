"""Pages of an account's site as its reading keeps them: each is a document of the corpus."""

from dataclasses import replace
from typing import Final
from uuid import UUID

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
from app.domains.library.documents.service import Quota
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
    former = site_store.lock(tx, site.corpus_id, page.url)
    corpus_store.lock(tx, site.account_id)
    if not store.lock(tx, site.id):
        return visit.outcome
    moved = visit.url != page.url
    if moved:
        visit = replace(visit, outcome=REDIRECTED, prepared=None, links=(visit.url,))
    outcome = _kept(tx, site, former, visit, quota)
    depth = page.depth if moved else page.depth + 1
    if visit.links and (moved or site.kind == "site") and depth <= MOST_DEPTH:
        page_store.found(tx, site.id, visit.links, depth)
    page_store.visited(tx, site.id, page.url, outcome, visit.etag, visit.last_modified)
    return outcome


def _kept(tx: Tx, site: OwnSite, former: PageDocument | None, visit: Visit, quota: Quota) -> str:
    """Keep a page, or drop it. A document that was uploaded under its address, or is another
    site's, stays as it is.
    """
    if former is not None and former.site_id != site.id:
        return DUPLICATE
    if visit.prepared is not None and visit.outcome == READ:
        text = visit.prepared.page.content_hash
        if not site_store.is_copy(tx, site.id, visit.url, text):
            return _read(tx, site, former, visit, visit.prepared, quota)
        visit = replace(visit, outcome=DUPLICATE)
    if former is not None and visit.withdraws:
        size = DocumentSize(former.id, site.corpus_id, former.bytes, former.passages)
        documents.drop(tx, site.account_id, [size])
    return visit.outcome


def _read(
    tx: Tx,
    site: OwnSite,
    former: PageDocument | None,
    visit: Visit,
    prepared: PreparedPage,
    quota: Quota,
) -> str:
    content = PageContent(
        visit.media_type, visit.size, prepared.page.content_hash, len(prepared.spans)
    )
    if former is not None and former.content_hash == content.content_hash:
        site_store.same(tx, former.id)
        return UNCHANGED
    if not _fits(tx, site.account_id, former, content, quota):
        return QUOTA_EXCEEDED
    if former is None:
        ids = (prepared.source_id, site.account_id, site.corpus_id, site.id)
        site_store.insert(tx, *ids, visit.url)
    kept = passages.replace(tx, [prepared], site.account_id)
    site_store.keep(tx, prepared.source_id, kept[prepared.source_id], content)
    corpus_store.count(
        tx,
        site.corpus_id,
        documents=int(former is None),
        bytes=content.bytes - (former.bytes if former else 0),
        passages=content.passages - (former.passages if former else 0),
    )
    return INDEXED


def _fits(
    tx: Tx, account_id: UUID, former: PageDocument | None, content: PageContent, quota: Quota
) -> bool:
    holding = corpus_store.holding(tx, account_id)
    more_bytes = content.bytes - (former.bytes if former else 0)
    more_passages = content.passages - (former.passages if former else 0)
    return (
        holding.documents + (former is None) <= quota.documents
        and (more_bytes <= 0 or holding.bytes + more_bytes <= quota.bytes)
        and (more_passages <= 0 or holding.passages + more_passages <= quota.passages)
    )
