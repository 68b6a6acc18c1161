"""The extraction_records and extraction_samples tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core import ids
from app.core.db import Reader, Tx, many, run, value

PLACES: Final = 100_000
"""Positions that each page of a run has for its records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRow:
    data: dict[str, Any]
    unsatisfied: list[dict[str, Any]]
    provenance: list[dict[str, Any]]
    candidates: dict[str, Any]
    confidence: float


PUT = """
    insert into extraction_records (id, run_id, page_id, position, data, unsatisfied,
                                    provenance, candidates, confidence)
    values (%(id)s, %(run_id)s, %(page_id)s, %(position)s, %(data)s, %(unsatisfied)s,
            %(provenance)s, %(candidates)s, %(confidence)s)
    on conflict (run_id, position) do update
    set data = excluded.data, unsatisfied = excluded.unsatisfied,
        provenance = excluded.provenance, candidates = excluded.candidates,
        confidence = excluded.confidence, version = extraction_records.version + 1
    where extraction_records.page_id = excluded.page_id
      and (extraction_records.data, extraction_records.unsatisfied, extraction_records.provenance,
           extraction_records.candidates, extraction_records.confidence)
          is distinct from
          (excluded.data, excluded.unsatisfied, excluded.provenance, excluded.candidates,
           excluded.confidence)
    """


def put(tx: Tx, run_id: UUID, page_id: UUID, page_n: int, records: Sequence[RecordRow]) -> None:
    """Write the records of a page by their places, changed ones as a next version."""
    rows = [
        {
            "id": ids.new(),
            "run_id": run_id,
            "page_id": page_id,
            "position": page_n * PLACES + place,
            "data": record.data,
            "unsatisfied": Jsonb(record.unsatisfied),
            "provenance": Jsonb(record.provenance),
            "candidates": Jsonb(record.candidates),
            "confidence": record.confidence,
        }
        for place, record in enumerate(records[:PLACES])
    ]
    with tx.cursor() as cursor:
        cursor.executemany(PUT, rows)


CUT = "delete from extraction_records where page_id = %(page_id)s and position >= %(position)s"


def cut(tx: Tx, page_id: UUID, page_n: int, most: int) -> int:
    """Drop the records of a page beyond the first `most`; how many went."""
    return run(tx, CUT, page_id=page_id, position=page_n * PLACES + most)


@dataclass(frozen=True, slots=True)
class StoredRecord:
    id: UUID
    position: int
    version: int
    data: dict[str, Any]
    unsatisfied: list[dict[str, Any]]
    provenance: list[dict[str, Any]]
    candidates: dict[str, Any]
    confidence: float
    url: str
    snapshot_id: UUID | None
    source_url: str | None
    content_hash: str | None
    fetched_at: datetime | None
    final: bool


_COLUMNS: LiteralString = """
    select extraction_records.id, extraction_records.position, extraction_records.version,
    extraction_records.data, extraction_records.unsatisfied, extraction_records.provenance,
    extraction_records.candidates,
           extraction_records.confidence, extraction_pages.url, extraction_pages.snapshot_id,
           snapshots.url as source_url,
           snapshots.content_hash, extraction_pages.fetched_at,
           extraction_runs.ended_at is not null as final
    from extraction_records
    join extraction_runs on extraction_runs.id = extraction_records.run_id
    join extraction_pages on extraction_pages.id = extraction_records.page_id
    left join snapshots on snapshots.id = extraction_pages.snapshot_id
    """

AFTER: LiteralString = (
    _COLUMNS
    + """where extraction_records.run_id = %(run_id)s and extraction_records.position > %(after)s
      and extraction_records.confidence >= %(min_confidence)s
    order by extraction_records.position limit %(most)s"""
)


def after(
    reader: Reader, run_id: UUID, position: int, most: int, min_confidence: float = 0.0
) -> list[StoredRecord]:
    return many(
        reader,
        StoredRecord,
        AFTER,
        run_id=run_id,
        after=position,
        most=most,
        min_confidence=min_confidence,
    )


OF_PAGES: LiteralString = (
    _COLUMNS
    + "where extraction_records.page_id = any(%(page_ids)s) order by extraction_records.position"
)


def of_pages(reader: Reader, page_ids: Sequence[UUID]) -> list[StoredRecord]:
    return many(reader, StoredRecord, OF_PAGES, page_ids=list(page_ids))


OF_PAGE: LiteralString = (
    _COLUMNS
    + """where extraction_records.run_id = %(run_id)s and extraction_pages.url = %(url)s
    order by extraction_records.position"""
)


def of_page(reader: Reader, run_id: UUID, url: str) -> list[StoredRecord]:
    """The records of the page that a run read at this address, in order."""
    return many(reader, StoredRecord, OF_PAGE, run_id=run_id, url=url)


@dataclass(frozen=True, slots=True)
class SampledRecord:
    id: UUID
    page_id: UUID
    url: str
    final_url: str | None
    media_type: str | None
    charset: str | None
    place: int
    data: dict[str, Any]
    unsatisfied: list[dict[str, Any]]
    provenance: list[dict[str, Any]]
    candidates: dict[str, Any]
    confidence: float
    body: bytes | None


# The order is random, the same for everybody, and nobody can choose it: both ids are ours.
DRAW = """
    select extraction_records.id, extraction_records.page_id, extraction_pages.url,
    extraction_pages.final_url, extraction_pages.media_type, extraction_pages.charset,
           (extraction_records.position %% %(places)s)::int as place, extraction_records.data,
           extraction_records.unsatisfied, extraction_records.provenance,
           extraction_records.candidates,
           extraction_records.confidence, extraction_pages.body
    from extraction_records join extraction_pages
      on extraction_pages.id = extraction_records.page_id
    where extraction_records.run_id = %(run_id)s
    order by md5(extraction_records.id::text || %(run_id)s::text)
    limit %(most)s offset %(first)s
    """


def draw(reader: Reader, run_id: UUID, most: int, first: int = 0) -> list[SampledRecord]:
    """A part of the run's records in random order: always the same one for the same records."""
    return many(reader, SampledRecord, DRAW, run_id=run_id, most=most, first=first, places=PLACES)


@dataclass(frozen=True, slots=True)
class RecordData:
    id: UUID
    position: int
    url: str
    data: dict[str, Any]


VALUES_AFTER = """
    select extraction_records.id, extraction_records.position, extraction_pages.url,
    extraction_records.data
    from extraction_records join extraction_pages
      on extraction_pages.id = extraction_records.page_id
    where extraction_records.run_id = %(run_id)s and extraction_records.position > %(after)s
    order by extraction_records.position limit %(most)s
    """


def values_after(reader: Reader, run_id: UUID, position: int, most: int) -> list[RecordData]:
    return many(reader, RecordData, VALUES_AFTER, run_id=run_id, after=position, most=most)


COPY = """
    insert into extraction_records (id, run_id, page_id, position, data, unsatisfied,
                                    provenance, candidates, confidence)
    select wanted.copy_id, %(run_id)s, extraction_records.page_id, %(first)s + wanted.place - 1,
    extraction_records.data, extraction_records.unsatisfied,
           extraction_records.provenance,
           extraction_records.candidates, extraction_records.confidence
    from unnest(%(ids)s::uuid[], %(copies)s::uuid[]) with ordinality as wanted (id, copy_id, place)
    join extraction_records using (id)
    on conflict (run_id, position) do nothing
    """


def copy(tx: Tx, run_id: UUID, record_ids: Sequence[UUID], *, first: int) -> None:
    """Give a run records of another from position `first` on. Done twice, it is done once."""
    copies = [ids.new() for _ in record_ids]
    run(tx, COPY, run_id=run_id, ids=list(record_ids), copies=copies, first=first)


JUDGE = """
    insert into extraction_samples (record_id, run_id, verdict, fields)
    values (%(record_id)s, %(run_id)s, %(verdict)s, %(fields)s)
    on conflict (record_id) do nothing
    """


def judge(
    tx: Tx, run_id: UUID, record_id: UUID, verdict: str, fields: Sequence[dict[str, Any]]
) -> None:
    """Keep what a second reading of a record came to: passed, failed or not_comparable."""
    run(tx, JUDGE, run_id=run_id, record_id=record_id, verdict=verdict, fields=Jsonb(list(fields)))


@dataclass(frozen=True, slots=True)
class RecordSample:
    record_id: UUID
    verdict: str
    fields: list[dict[str, Any]]


SAMPLES = """
    select record_id, verdict, fields from extraction_samples
    where run_id = %(run_id)s order by record_id
    """


def samples(reader: Reader, run_id: UUID) -> list[RecordSample]:
    return many(reader, RecordSample, SAMPLES, run_id=run_id)


UNSATISFIED = """
    select count(*) from extraction_records
    where run_id = %(run_id)s and jsonb_array_length(unsatisfied) > 0
    """


def unsatisfied(reader: Reader, run_id: UUID) -> int:
    """Counts the records that are not all that the schema wants."""
    return int(value(reader, UNSATISFIED, run_id=run_id))


FILLED = """
    select name, count(*) from extraction_records,
    jsonb_object_keys(extraction_records.data) as name
    where extraction_records.run_id = %(run_id)s group by name
    """


def filled(reader: Reader, run_id: UUID) -> dict[str, int]:
    """In how many records of a run each field has a value."""
    return dict(reader.execute(FILLED, {"run_id": run_id}).fetchall())
