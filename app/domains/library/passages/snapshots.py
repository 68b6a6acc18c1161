"""Snapshots: the stored texts of pages, each of them kept for as long as anything refers to it."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import NotFound
from app.domains.library.passages import store
from app.domains.library.passages.prepared import PreparedPage
from app.domains.library.passages.store import Snapshot


class SnapshotNotFound(NotFound):
    """No stored page has this id."""

    code = "snapshot_not_found"


def find(reader: Reader, id: UUID) -> Snapshot:
    """Raises SnapshotNotFound."""
    for found in store.snapshots(reader, [id]):
        return found
    raise SnapshotNotFound


def of(reader: Reader, snapshot_ids: Iterable[UUID]) -> dict[UUID, Snapshot]:
    """The snapshots among them that are kept, by id."""
    return {row.id: row for row in store.snapshots(reader, list(snapshot_ids))}


def keep(tx: Tx, prepared: Sequence[PreparedPage]) -> dict[UUID, UUID]:
    """Store the snapshots of pages without indexing them; the snapshot of each source.

    In one order, so that two who keep the same pages wait for each other and no more.
    """
    in_one_order = sorted(prepared, key=lambda page: (page.url, page.page.content_hash))
    return {page.source_id: _keep(tx, page) for page in in_one_order}


def _keep(tx: Tx, prepared: PreparedPage) -> UUID:
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
        facts=_facts(prepared),
        fetched_at=prepared.fetched_at,
    )


def keep_text(
    tx: Tx,
    *,
    url: str,
    title: str | None,
    text: str,
    visible_end: int,
    language: str | None,
    fetched_at: datetime,
) -> UUID:
    """Store all that a page says, not only its main text: what is visible comes first.

    It is in no index. A snapshot of the same text has both kinds of facts.
    """
    return store.keep_snapshot(
        tx,
        id=ids.new(),
        url=url,
        title=title,
        text=text,
        content_hash=f"sha256:{hashlib.sha256(text.encode()).hexdigest()}",
        language=language,
        published_at=None,
        facts={"view": "full", "visible_end": visible_end},
        fetched_at=fetched_at,
    )


def _facts(prepared: PreparedPage) -> dict[str, object]:
    page = prepared.page
    facts = {
        "author": page.author,
        "site_name": page.site_name,
        "canonical_url": page.canonical_url,
        "main_text_ratio": round(page.main_text_ratio, 4),
        "published_precision": page.published_precision,
        "published_source": page.published_source,
        "publisher": page.publisher,
        "contact": page.contact,
        "blocked": page.blocked or False,
        "outdated": page.outdated,
        "pages": list(page.pages) or None,
        "simhash": prepared.simhash,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def release(tx: Tx, snapshot_ids: Iterable[UUID | None]) -> None:
    """Say that a reference to these went, so that they may be forgotten if it was the last."""
    store.release(tx, sorted({id for id in snapshot_ids if id is not None}))
