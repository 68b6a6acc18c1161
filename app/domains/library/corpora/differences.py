"""Comparing what was visited with what is stored, and writing the difference."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.core.db import Tx
from app.domains.library.corpora import page_store
from app.domains.library.corpora.page_store import IndexedPage
from app.domains.library.corpora.visits import DUPLICATE, INDEXED, READ, UNCHANGED, Visit
from app.domains.library.passages import service as passages
from app.domains.library.passages import store as passage_store


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """The result of a visit, and the links of the page: the stored ones if it sent none."""

    url: str
    depth: int
    outcome: str
    links: tuple[str, ...]
    size: int


def record(tx: Tx, corpus_id: UUID, pass_id: UUID, visits: Sequence[Visit]) -> list[VisitRecord]:
    """Write visits, each of another page: index what is new, drop what is withdrawn.

    Done twice, it is done once. Returns what became of each, in the same order.
    """
    stored = page_store.lock(tx, corpus_id, [visit.url for visit in visits])
    outcomes = _outcomes(tx, corpus_id, visits, stored)
    fresh = [v for v in visits if outcomes[v.url] == INDEXED]
    stale = [
        stored[v.url].id
        for v in visits
        if (outcomes[v.url] == DUPLICATE or v.withdraws)
        and v.url in stored
        and stored[v.url].snapshot_id
    ]
    if stale:
        passages.remove(tx, stale)
    snapshots = passages.replace(tx, [v.prepared for v in fresh if v.prepared]) if fresh else {}
    puts: list[dict[str, Any]] = []
    touches: list[dict[str, Any]] = []
    for visit in visits:
        row = _row(visit, outcomes[visit.url], stored.get(visit.url), snapshots)
        row |= {"corpus_id": corpus_id, "seen_in": pass_id}
        (touches if _leaves_content(visit) and visit.url in stored else puts).append(row)
    page_store.put(tx, puts)
    page_store.touch(tx, touches)
    return [_recorded(visit, outcomes[visit.url], stored.get(visit.url)) for visit in visits]


def _outcomes(
    tx: Tx, corpus_id: UUID, visits: Sequence[Visit], stored: dict[str, IndexedPage]
) -> dict[str, str]:
    """Says of each visit what it means. Of several pages with one text the first indexed stays; a
    copy takes its place in the refresh after it went.
    """
    read = [v for v in visits if v.prepared]
    holders: defaultdict[str, set[str]] = defaultdict(set)
    hashes = {v.url: v.prepared.page.content_hash for v in read if v.prepared}
    for content_hash, url in page_store.holders(tx, corpus_id, list(hashes.values())):
        holders[content_hash].add(url)
    for visit in read:  # a holder that is itself visited now holds what it holds from now on
        for content_hash, urls in holders.items():
            if hashes[visit.url] != content_hash:
                urls.discard(visit.url)
    outcomes = {visit.url: visit.outcome for visit in visits}
    unchanged = _unchanged(tx, read, stored)
    for url, content_hash in hashes.items():
        if url in unchanged:
            outcomes[url] = UNCHANGED
        elif holders[content_hash] - {url}:
            outcomes[url] = DUPLICATE
        else:
            outcomes[url] = INDEXED
            holders[content_hash].add(url)
    return outcomes


def _unchanged(tx: Tx, read: Sequence[Visit], stored: dict[str, IndexedPage]) -> set[str]:
    """Addresses of indexed pages with the title and the text they had: both are searched."""
    kept = [page.snapshot_id for page in stored.values() if page.snapshot_id]
    titles = passage_store.titles(tx, kept)
    before = {
        url: (page.content_hash, titles[page.snapshot_id])
        for url, page in stored.items()
        if page.snapshot_id
    }
    now = {v.url: (v.prepared.page.content_hash, v.prepared.page.title) for v in read if v.prepared}
    return {url for url, content in now.items() if before.get(url) == content}


def _leaves_content(visit: Visit) -> bool:
    """Not modified, or failed for a reason that may pass."""
    return visit.outcome != READ and not visit.withdraws


def _row(
    visit: Visit, outcome: str, stored: IndexedPage | None, snapshots: dict[UUID, UUID]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": visit.id,
        "url": visit.url,
        "outcome": outcome,
        "depth": visit.depth,
        "tries": visit.tries,
        "links": list(visit.links or ()),
        "linked_domains": list(visit.linked_domains),
        "etag": visit.etag,
        "last_modified": visit.last_modified,
        "fetched_at": visit.fetched_at,
        "content_hash": visit.prepared.page.content_hash if visit.prepared else None,
        "snapshot_id": None,
        "passages": 0,
    }
    if outcome == INDEXED and visit.prepared:
        row["snapshot_id"] = snapshots[visit.id]
        row["passages"] = len(visit.prepared.spans)
    elif outcome == UNCHANGED and stored:
        row["snapshot_id"] = stored.snapshot_id
        row["passages"] = stored.passages
    return row


def _recorded(visit: Visit, outcome: str, stored: IndexedPage | None) -> VisitRecord:
    links = visit.links
    if links is None:
        links = tuple(stored.links) if stored else ()
    return VisitRecord(visit.url, visit.depth, outcome, links, visit.size)
