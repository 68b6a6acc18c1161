"""Records as rows of CSV: safe in spreadsheets, the same columns always."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.domains.records.page_jobs import tables
from app.domains.records.page_jobs.runs.record_store import StoredRecord
from tests.plans import NUMBER, TEXT, TEXTS, plan_of

PLAN = plan_of(
    name=TEXT,
    brand={"type": "object", "properties": {"name": TEXT}},
    tags=TEXTS,
    offers={"type": "array", "items": {"type": "object", "properties": {"price": NUMBER}}},
)
COLUMNS = tables.columns(PLAN)
SHOWN = {"id": "rec_x", "url": "https://a.test/", "fetched_at": "2026-11-22T00:00:00Z"}


def record(provenance: tuple[dict[str, Any], ...] = (), **data: Any) -> StoredRecord:
    return StoredRecord(
        id=UUID(int=1),
        position=1,
        version=1,
        data=data,
        unsatisfied=[],
        provenance=list(provenance),
        candidates={},
        confidence=0.9,
        url="https://a.test/",
        snapshot_id=None,
        source_url=None,
        content_hash=None,
        fetched_at=datetime(2026, 11, 22, tzinfo=UTC),
        final=True,
    )


def cells(found: StoredRecord, *, provenance: bool = False) -> list[str]:
    return tables.row(COLUMNS, found, SHOWN, provenance=provenance)


def test_columns_follow_the_schema_whatever_a_record_has() -> None:
    header = tables.header(COLUMNS, provenance=False)
    assert header[5:] == ["name", "brand.name", "tags", "offers"]
    assert len(cells(record())) == len(header)
    found = cells(record(brand={"name": "Alder"}, unknown=1))
    assert found[5:] == ["", "Alder", "", ""]


def test_columns_with_unsure_values_are_named() -> None:
    quotes = (
        {"pointer": "/name", "quote": "Lamp", "confidence": 0.95},
        {"pointer": "/brand/name", "quote": "Alder", "confidence": 0.7},
        {"pointer": "/offers/0/price", "quote": "9", "confidence": 0.6},
    )
    assert cells(record(quotes, name="Lamp"))[4] == "brand.name; offers"


def test_quotes_stand_beside_their_values() -> None:
    header = tables.header(COLUMNS, provenance=True)
    assert header[5:7] == ["name", "name._quote"]
    quotes = (
        {"pointer": "/name", "quote": "=Lamp"},
        {"pointer": "/tags/0", "quote": "a"},
        {"pointer": "/tags/1", "quote": "b"},
    )
    found = cells(record(quotes, name="=Lamp", tags=["a", "b"]), provenance=True)
    row = dict(zip(header, found, strict=True))
    assert (row["name"], row["name._quote"], row["tags._quote"]) == ("'=Lamp", "'=Lamp", "a; b")


def test_a_header_that_is_a_formula_is_none_in_the_file() -> None:
    columns = tables.columns(plan_of(**{"=1": TEXT}))
    assert tables.header(columns, provenance=False)[5] == "'=1"
