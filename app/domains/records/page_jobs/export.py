"""All records of a run as a stream: constant memory, and no transaction that a slow reader holds.

Pages of records are read one after another, each with a connection for just that long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

import orjson

from app.core import db, ids, log, untrusted_json
from app.core.errors import AppError, StorageUnavailable
from app.core.http.exports import cells, forms
from app.core.http.fields import rfc3339
from app.core.ids import Noun
from app.domains.records.page_jobs import presentation, service, tables
from app.domains.records.page_jobs.runs import record_store
from app.domains.records.page_jobs.runs.record_store import StoredRecord
from app.engine.extraction.schema.schema import Plan

PAGE: Final = 500
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

logger = log.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordExport:
    """The choice of records to export: of one run of a job, behind a position."""

    account_id: UUID
    job_id: UUID
    run_id: UUID | None
    after: int = 0
    min_confidence: float = 0.0


def some(reader: db.Reader, export: RecordExport, most: int) -> list[StoredRecord]:
    if export.run_id is None:
        return []
    return record_store.after(reader, export.run_id, export.after, most, export.min_confidence)


def ndjson(export: RecordExport, plans: Sequence[Plan]) -> Iterator[bytes]:
    """A record a line, each as in the pages of JSON.

    When something fails on the way the last line is `{"error": …}`, and the stream breaks off.
    """
    names = presentation.names(plans)
    try:
        yield from forms.in_blocks(
            untrusted_json.dumps(shown(x, names)) + b"\n" for x in _records(export)
        )
    except Exception as error:
        failure = error if isinstance(error, AppError) else StorageUnavailable()
        logger.info("export ended", why=type(error).__name__)
        yield orjson.dumps({"error": failure.body("")["error"]}) + b"\n"
        raise


def table(
    export: RecordExport, plans: Sequence[Plan], *, provenance: bool, bom: bool
) -> Iterator[bytes]:
    """CSV (RFC 4180), always with the same columns."""
    columns = tables.columns(*plans)

    def lines() -> Iterator[bytes]:
        yield BYTE_ORDER_MARK if bom else b""
        yield cells.line(tables.header(columns, provenance=provenance))
        for record in _records(export):
            facts = {
                "id": ids.public(Noun.RECORD, record.id),
                "url": record.url,
                "fetched_at": rfc3339(record.fetched_at),
            }
            yield cells.line(tables.row(columns, record, facts, provenance=provenance))

    return forms.in_blocks(lines())


def _records(export: RecordExport) -> Iterator[StoredRecord]:
    """In order. Raises JobNotFound when the job was erased meanwhile."""
    while True:
        with db.reading() as reader:
            service.find(reader, export.account_id, export.job_id)
            page = some(reader, export, PAGE)
        yield from page
        if len(page) < PAGE:
            return
        export = replace(export, after=page[-1].position)


def shown(record: StoredRecord, names: list[str]) -> dict[str, Any]:
    """Returns a record as RecordOut shows it, without its cost."""
    presented = presentation.record(record, names)
    presented["id"] = ids.public(Noun.RECORD, record.id)
    snapshot = record.snapshot_id and ids.public(Noun.SNAPSHOT, record.snapshot_id)
    for each in presented["provenance"]:
        each["snapshot"], each["fetched_at"] = snapshot, rfc3339(record.fetched_at)
    return presented
