"""Snapshots of pages, the passages they are cut into, and the index that finds them.

A source (a page of a corpus) has the passages of one snapshot at a time; a snapshot outlives its
passages for as long as anything refers to it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace as with_fields
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.errors import NotFound
from app.domains.passages import compaction_store, lexical_store, retriever, store
from app.domains.passages.prepared import Prepared as Prepared
from app.domains.passages.prepared import domain_of
from app.domains.passages.prepared import prepare as prepare
from app.domains.passages.retriever import PostgresRetriever as PostgresRetriever
from app.domains.passages.store import Located as Located
from app.domains.passages.store import Snapshot as Snapshot
from app.engine.pages.page import Page
from app.engine.retrieval.interface import IndexedPassage

NAMESPACE = "corpora"
"""What the operator indexes is one namespace: scores compare across corpora."""


class SnapshotNotFound(NotFound):
    """No snapshot with this id is kept."""

    code = "snapshot_not_found"


def replace(tx: Tx, prepared: Sequence[Prepared]) -> dict[UUID, UUID]:
    """Make these pages what their sources hold; the snapshot of each source.

    Done twice, it is done once. Former snapshots are released, see `forget_snapshots`.
    """
    remove(tx, [page.source_id for page in prepared])
    kept = {page.source_id: _keep(tx, page) for page in prepared}
    rows = [row for page in prepared for row in _rows(page, kept[page.source_id])]
    passage_ids = store.insert(tx, rows) if rows else []
    analysed = [entry for page in prepared for entry in page.analysed]
    indexed = [
        (with_fields(passage, id=passage_id), terms)
        for passage_id, (passage, terms) in zip(passage_ids, analysed, strict=True)
    ]
    if indexed:
        retriever.write(tx, NAMESPACE, indexed, fresh=True)
    return kept


def _keep(tx: Tx, prepared: Prepared) -> UUID:
    page = prepared.page
    return store.keep_snapshot(
        tx,
        id=ids.new(),
        url=prepared.url,
        title=page.title,
        text=page.text,
        content_hash=page.content_hash,
        language=page.language,
        published_at=page.published_at,
        facts=_facts(page),
        fetched_at=prepared.fetched_at,
    )


def _facts(page: Page) -> dict[str, object]:
    facts = {
        "author": page.author,
        "site_name": page.site_name,
        "canonical_url": page.canonical_url,
        "main_text_ratio": round(page.main_text_ratio, 4),
        "published_precision": page.published_precision,
        "published_source": page.published_source,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def _rows(prepared: Prepared, snapshot_id: UUID) -> Iterable[store.Row]:
    for span in prepared.spans:
        yield store.Row(
            corpus_id=prepared.corpus_id,
            source_id=prepared.source_id,
            snapshot_id=snapshot_id,
            ordinal=span.ordinal,
            start_at=span.start,
            end_at=span.end,
            headings=list(span.heading_path),
            text=prepared.page.text[span.start : span.end],
        )


def remove(tx: Tx, source_ids: Sequence[UUID]) -> None:
    """Take sources out of the index and release their snapshots."""
    lexical_store.lock(tx, NAMESPACE)
    lexical_store.remove_sources(tx, NAMESPACE, [str(id) for id in source_ids])
    store.delete(tx, list(source_ids))


def release_snapshots(tx: Tx, snapshot_ids: Iterable[UUID]) -> None:
    """Say that a reference to these went, so that they may be forgotten if it was the last."""
    store.release(tx, sorted(snapshot_ids))


def forget_snapshots(tx: Tx, after_seconds: float = 3600, most: int = 500) -> int:
    """Delete released snapshots that nothing refers to: no page, no passage, no answer.

    The delay is for those who have found a passage and are about to cite it. Returns how many went.
    """
    return store.forget_released(tx, after_seconds, most)


def compact(tx: Tx, after: int = 0, *, lightly: bool = False) -> int | None:
    """One bounded step of merging postings and dropping dead ones.

    Call it in a transaction of its own, then again with what it returned, until that is None.
    Readers and writers go on meanwhile. `lightly` keeps the number of blocks bounded while a large
    corpus is being read, at little cost.
    """
    compaction_store.alone(tx)
    if lightly:
        return compaction_store.merge(tx, after, compaction_store.LIGHTLY)
    if dead := compaction_store.dead(tx):
        compaction_store.purge(tx, dead)
        return after
    return compaction_store.merge(tx, after, compaction_store.WHOLLY)


def languages(tx: Tx, most: int = 3) -> list[str]:
    """The languages most passages are in: what a query should also be read as."""
    return lexical_store.languages(tx, NAMESPACE, most)


def located(tx: Tx, passage_ids: Sequence[int]) -> list[Located]:
    """Passages with their snapshot and place in it, in the order asked; the gone are left out."""
    return store.located(tx, list(passage_ids))


def passages(tx: Tx, passage_ids: Sequence[int]) -> list[IndexedPassage]:
    """Passages as ranking reads them, in the order asked, in one query; the gone are left out."""
    return [indexed(found) for found in located(tx, passage_ids)]


def indexed(found: Located) -> IndexedPassage:
    """A located passage as ranking reads it."""
    return IndexedPassage(
        id=found.id,
        source_id=str(found.source_id),
        text=found.text,
        title=found.title or "",
        headings=tuple(found.headings),
        language=found.language,
        corpus=str(found.corpus_id),
        domain=domain_of(found.url),
        published_at=found.published_at,
        fetched_at=found.fetched_at,
    )


def snapshot(tx: Tx, id: UUID) -> Snapshot:
    """Raises SnapshotNotFound."""
    for found in store.snapshots(tx, [id]):
        return found
    raise SnapshotNotFound


def snapshots(tx: Tx, snapshot_ids: Iterable[UUID]) -> dict[UUID, Snapshot]:
    """Those of the snapshots that are kept, by id."""
    return {found.id: found for found in store.snapshots(tx, list(snapshot_ids))}
