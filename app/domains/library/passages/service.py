"""The passages that snapshots of pages are cut into, and the index that finds them.

A source (a page of a corpus) has the passages of one snapshot at a time; a snapshot outlives its
passages for as long as anything refers to it.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from uuid import UUID

from app.core.db import Tx
from app.domains.library.passages import change_store, snapshots, store
from app.domains.library.passages.index import compaction, generation_store, retriever
from app.domains.library.passages.index.generation_store import namespace_of
from app.domains.library.passages.prepared import PreparedPage
from app.domains.queue.jobs import kinds

REBUILD = kinds.register(
    "passages.rebuild",
    queue="housekeeping",
    deadline_seconds=3600,
    priority=90,  # after what is due each minute
    # Nobody continues it: otherwise all writers would write twice forever.
    on_end=lambda tx, _job: generation_store.leave_building(tx),
)
EMBED = kinds.register(
    "passages.embed",
    queue="corpora",
    deadline_seconds=600,
    priority=90,  # after any refresh that waits
    backoff_seconds=5,
)

_RECORDED = 1_000  # ids of one change


def replace(
    tx: Tx, prepared: Sequence[PreparedPage], account_id: UUID | None = None
) -> dict[UUID, UUID]:
    """Make these pages what their sources hold; the snapshot of each source.

    Of an account they are in its own index alone. Done twice, it is done once. Former snapshots are
    released, see `forget_snapshots`.
    """
    removed = _remove(tx, [page.source_id for page in prepared], account_id)
    kept = snapshots.keep(tx, prepared)
    rows = [row for page in prepared for row in _rows(page, kept[page.source_id], account_id)]
    passage_ids = store.insert(tx, rows) if rows else []
    analysed = [entry for page in prepared for entry in page.analysed]
    indexed = [
        (dataclasses.replace(passage, id=passage_id), terms)
        for passage_id, (passage, terms) in zip(passage_ids, analysed, strict=True)
    ]
    if indexed:
        retriever.write(tx, namespace_of(account_id), indexed, fresh=True)
    if account_id is None:
        _record(tx, passage_ids, removed)
    return kept


def _record(tx: Tx, added: Sequence[int], removed: Sequence[int]) -> None:
    """Write the change down for an index that follows, see `changes`."""
    for first in range(0, max(len(added), len(removed)), _RECORDED):
        some = slice(first, first + _RECORDED)
        if not change_store.record(tx, list(added[some]), list(removed[some])):
            return


def _rows(
    prepared: PreparedPage, snapshot_id: UUID, account_id: UUID | None
) -> Iterable[store.PassageRow]:
    for span in prepared.spans:
        yield store.PassageRow(
            corpus_id=prepared.corpus_id,
            source_id=prepared.source_id,
            snapshot_id=snapshot_id,
            ordinal=span.ordinal,
            start_at=span.start,
            end_at=span.end,
            headings=list(span.heading_path),
            text=prepared.page.text[span.start : span.end],
            language=None if span.language == prepared.page.language else span.language,
            account_id=account_id,
        )


def remove(tx: Tx, source_ids: Sequence[UUID], account_id: UUID | None = None) -> None:
    """Take sources out of the index and release their snapshots."""
    removed = _remove(tx, source_ids, account_id)
    if account_id is None:
        _record(tx, [], removed)


def _remove(tx: Tx, source_ids: Sequence[UUID], account_id: UUID | None) -> list[int]:
    # First the rows: a rebuild that holds one is waited for, and what it wrote is then removed.
    removed = store.delete(tx, list(source_ids))
    retriever.remove(tx, namespace_of(account_id), [str(id) for id in source_ids])
    return removed


def forget_index(tx: Tx, account_id: UUID) -> bool:
    """Have the index of an account dropped that has no documents; False: there is none."""
    return generation_store.leave_all(tx, namespace_of(account_id)) > 0


def compact(tx: Tx, done: int = 0, *, lightly: bool = False) -> int | None:
    """One bounded step of merging postings and dropping dead ones; `done` steps came before.

    Call it in a separate transaction, then again with what it returned, until that is None.
    Readers and writers go on meanwhile. `lightly` keeps what queries read unmerged bounded while a
    large corpus is being read, at little cost.
    """
    if compaction.step(tx, least_fresh=compaction.LIGHTLY if lightly else compaction.WHOLLY):
        return done + 1
    return None if lightly or not compaction.tidy(tx) else done + 1
