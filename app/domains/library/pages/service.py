"""Pages of the web read for searches: copies kept by address, with what is needed to ask again.

A copy is public and shared by all searches, but it is in no index: only an engine that returns its
address leads to it. Copies hold their snapshots; a search that cites one holds it as well.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Reader, Tx
from app.domains.library.pages import store
from app.domains.library.pages.store import Copy
from app.domains.library.pages.visits import Visit
from app.domains.library.passages import snapshots
from app.domains.library.passages.prepared import PreparedPage
from app.engine.pages.passages import Passage
from app.engine.sandbox.visit import UNCHANGED

KEPT = timedelta(days=7)
"""How long a copy nobody could confirm serves while its site is down."""


def copies(reader: Reader, urls: Sequence[str], *, fresh_seconds: float) -> dict[str, Copy]:
    """The kept copies of these addresses; `fresh` if confirmed within `fresh_seconds`."""
    return {copy.url: copy for copy in store.copies(reader, urls, fresh_seconds)}


def record(tx: Tx, visits: Sequence[Visit]) -> None:
    """Keep what was read, confirm what is unchanged, drop what its site has withdrawn.

    Done twice, it is done once. Copies of pages that could not be reached stay as they are.
    """
    former = store.lock(tx, [visit.url for visit in visits])
    kept = snapshots.keep(tx, [visit.prepared for visit in visits if visit.prepared])
    rows = [_row(v, v.prepared, kept[v.prepared.source_id]) for v in visits if v.prepared]
    store.put(tx, sorted(rows, key=itemgetter("url")))
    store.touch(tx, [v.url for v in visits if v.outcome == UNCHANGED], datetime.now(UTC))
    store.delete(tx, [v.url for v in visits if v.withdraws])
    gone = {former[v.url] for v in visits if v.url in former and (v.prepared or v.withdraws)}
    # The new ones too: when two searches keep a page at once, one of the snapshots is held by none.
    # Whether a snapshot is still held is checked when it is due for deletion.
    snapshots.release(tx, gone | set(kept.values()))


def _row(visit: Visit, prepared: PreparedPage, snapshot_id: UUID) -> dict[str, Any]:
    return {
        "url": visit.url,
        "snapshot_id": snapshot_id,
        "passages": Jsonb([_span(span, prepared.page.language) for span in prepared.spans]),
        "etag": visit.etag,
        "last_modified": visit.last_modified,
        "checked_at": visit.fetched_at,
    }


def _span(span: Passage, page_language: str | None) -> list[object]:
    language = [] if span.language in (None, page_language) else [span.language]
    return [span.start, span.end, list(span.heading_path), *language]


def expire(tx: Tx, most: int = 1_000) -> int:
    """Delete copies not confirmed for a week, with their snapshots; returns how many."""
    expired = store.expire(tx, KEPT.total_seconds(), most)
    snapshots.release(tx, expired)
    return len(expired)
