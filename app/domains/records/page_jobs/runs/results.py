"""Stores the results of pages: their text, their records, and their outcome."""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Tx
from app.domains.library.passages import snapshots
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import (
    page_store,
    page_turn_store,
    record_store,
    run_store,
    types,
)
from app.domains.records.page_jobs.runs.record_store import SampledRecord, StoredRecord
from app.domains.records.page_jobs.runs.types import PageResult, ReadPage
from app.engine.extraction.records.records import Record

READ: Final = ("read", "unchanged")
"""The outcomes of pages that were read."""
ELSEWHERE: Final = ("duplicate", "redirected", "canonical")
"""The outcomes of pages whose content is another page's."""
WELL: Final = (*READ, *ELSEWHERE)
"""The outcomes of pages that were read, here or elsewhere; all others say why one was not."""


def keep(tx: Tx, run_id: UUID, results: Sequence[PageResult]) -> None:
    """Write pages of a run that are done, with their snapshots and records.

    Done twice, it is done once: a page that is done already stays as it is.
    """
    in_one_order = sorted(results, key=lambda result: result.final_url or result.url)
    kept = [result for result in in_one_order if _keep(tx, run_id, result)]
    if not kept:
        return
    done = [result for result in kept if result.again_seconds is None]
    run_store.count(
        tx,
        run_id,
        done=len(done),
        failed=sum(result.outcome not in WELL for result in done),
        records=sum(len(result.page_records.records) for result in done if result.page_records),
    )
    job_type = types.of(store.type_of_run(tx, run_id))
    if job_type.keep_pages is not None:
        job_type.keep_pages(tx, run_id, kept)


def _keep(tx: Tx, run_id: UUID, result: PageResult) -> bool:
    """True if the page was not done before."""
    if result.again_seconds is not None:
        seconds = result.again_seconds
        return page_turn_store.put_off(tx, id=result.page_id, run_id=run_id, seconds=seconds)
    read = result.page_records
    records = [row_of(record) for record in read.records] if read else []
    result.snapshot_id = snapshot_id = _snapshot(tx, result, read) if read else None
    done = page_store.done(
        tx,
        id=result.page_id,
        run_id=run_id,
        outcome=result.outcome,
        verdict=result.verdict,
        snapshot_id=snapshot_id,
        body=None if result.body is None else gzip.compress(result.body, 6),
        readings=packed(read.readings) if read else None,
        records=len(records),
        fetched_at=result.fetched_at,
        final_url=result.final_url if result.final_url != result.url else None,
        media_type=result.media_type,
        charset=result.charset,
    )
    if done:
        record_store.put(tx, run_id, result.page_id, result.n, records)
    elif snapshot_id is not None:
        snapshots.release(tx, [snapshot_id])
    return done


def _snapshot(tx: Tx, result: PageResult, read: ReadPage) -> UUID:
    """The one text in which all quotes of the page stand."""
    return snapshots.keep_text(
        tx,
        url=result.final_url or result.url,
        title=read.title,
        text=read.text,
        visible_end=read.visible_end,
        language=read.language,
        fetched_at=result.fetched_at,
    )


def rewrite(tx: Tx, run_id: UUID, page_id: UUID, page_n: int, records: Sequence[Any]) -> None:
    """Put what is known better now in the place of a page's records."""
    rows = [row_of(record) for record in records]
    record_store.put(tx, run_id, page_id, page_n, rows)
    record_store.cut(tx, page_id, page_n, len(rows))
    before = page_store.set_records(tx, page_id, len(rows))
    run_store.count(tx, run_id, records=len(rows) - before)


def row_of(record: Any) -> record_store.RecordRow:
    return record_store.RecordRow(
        data=record.data,
        unsatisfied=[_json(each) for each in record.unsatisfied],
        provenance=[_json(each) for each in record.provenance],
        candidates={
            pointer: [_json(each) for each in alternatives]
            for pointer, alternatives in record.candidates.items()
        },
        confidence=record.confidence,
    )


def record_of(stored: StoredRecord | SampledRecord) -> Record:
    """A record as the engine knows it, from how it is stored."""
    return Record.from_json(
        {
            "data": stored.data,
            "unsatisfied": stored.unsatisfied,
            "provenance": stored.provenance,
            "candidates": stored.candidates,
            "confidence": stored.confidence,
        }
    )


def _json(thing: Any) -> dict[str, Any]:
    if is_dataclass(thing) and not isinstance(thing, type):
        return asdict(thing)
    return dict(thing)


def packed(readings: Any) -> bytes | None:
    """First readings as they are stored; `unpacked` is the reverse."""
    if readings is None:
        return None
    plain = readings if isinstance(readings, Mapping | list) else readings.as_json()
    return gzip.compress(json.dumps(plain, separators=(",", ":")).encode(), 6)


def unpacked(readings: bytes) -> Any:
    """First readings in JSON's types."""
    return json.loads(gzip.decompress(readings))
