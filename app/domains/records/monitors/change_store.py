"""The monitor_changes table: what runs reported."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core import ids
from app.core.db import Reader, Tx, lists, many, run, value, values


@dataclass(frozen=True, slots=True)
class MonitorChange:
    id: UUID
    run_id: UUID
    url: str
    verdict: str
    record_id: UUID | None
    fields: list[dict[str, Any]]
    facts: dict[str, Any]
    snapshot_id: UUID | None
    previous_snapshot_id: UUID | None
    created_at: datetime


_COLUMNS: LiteralString = """
    select id, run_id, url, verdict, record_id, fields, facts, snapshot_id, previous_snapshot_id,
           created_at
    from monitor_changes where {condition}
    """

INSERT = """
    insert into monitor_changes (id, job_id, run_id, url, verdict, record_id, fields, facts,
                                 snapshot_id, previous_snapshot_id)
    values (%(id)s, %(job_id)s, %(run_id)s, %(url)s, %(verdict)s, %(record_id)s, %(fields)s,
            %(facts)s, %(snapshot_id)s, %(previous_snapshot_id)s)
    """


def insert(
    tx: Tx,
    *,
    fields: list[dict[str, Any]] | None = None,
    facts: dict[str, Any] | None = None,
    record_id: UUID | None = None,
    snapshot_id: UUID | None = None,
    previous_snapshot_id: UUID | None = None,
    **row: Any,
) -> UUID:
    """`row` is job_id, run_id, url and verdict."""
    id = ids.new()
    run(
        tx,
        INSERT,
        id=id,
        fields=Jsonb(fields or []),
        facts=facts or {},
        record_id=record_id,
        snapshot_id=snapshot_id,
        previous_snapshot_id=previous_snapshot_id,
        **row,
    )
    return id


PAGE = _COLUMNS.replace("{condition}", "job_id = %(job_id)s")
FILTERS: Final[lists.Filters] = {
    "run_id": "run_id = %(run_id)s",
    "verdict": "verdict = %(verdict)s",
}


def page(
    reader: Reader,
    job_id: UUID,
    *,
    run_id: UUID | None,
    verdict: str | None,
    before: UUID | None,
    most: int,
) -> list[MonitorChange]:
    """Newest first."""
    return lists.newest(
        reader,
        MonitorChange,
        PAGE,
        before,
        most,
        FILTERS,
        job_id=job_id,
        run_id=run_id,
        verdict=verdict,
    )


FIRST = _COLUMNS.replace("{condition}", "run_id = %(run_id)s order by id limit %(most)s")


def first_of(reader: Reader, run_id: UUID, most: int) -> list[MonitorChange]:
    """Oldest first."""
    return many(reader, MonitorChange, FIRST, run_id=run_id, most=most)


COUNT = "select count(*) from monitor_changes where run_id = %(run_id)s"


def count(reader: Reader, run_id: UUID) -> int:
    return int(value(reader, COUNT, run_id=run_id))


COUNT_PAGES = "select count(distinct url) from monitor_changes where run_id = %(run_id)s"


def count_pages(reader: Reader, run_id: UUID) -> int:
    return int(value(reader, COUNT_PAGES, run_id=run_id))


DELETE = """
    with gone as (
        delete from monitor_changes where id in (
            select id from monitor_changes where job_id = %(job_id)s limit %(most)s)
        returning snapshot_id, previous_snapshot_id
    )
    select snapshot_id from gone union all select previous_snapshot_id from gone
    """


def delete(tx: Tx, job_id: UUID, most: int) -> list[UUID | None]:
    """At most so many of a job; the two snapshots of each."""
    return values(tx, DELETE, job_id=job_id, most=most)


RETIRE = """
    with gone as (
        delete from monitor_changes where id in (
            select monitor_changes.id from monitor_changes
            join extraction_jobs on extraction_jobs.id = monitor_changes.job_id
            where monitor_changes.created_at
                  < now() - make_interval(secs => extraction_jobs.kept_seconds)
            order by monitor_changes.created_at limit %(most)s)
        returning snapshot_id, previous_snapshot_id
    )
    select snapshot_id from gone union all select previous_snapshot_id from gone
    """


def retire(tx: Tx, most: int) -> list[UUID | None]:
    """At most so many past their time; the two snapshots of each."""
    return values(tx, RETIRE, most=most)


CITING = """
    select exists (
        select from monitor_changes join extraction_jobs
          on extraction_jobs.id = monitor_changes.job_id
        where %(snapshot_id)s in (monitor_changes.snapshot_id,
        monitor_changes.previous_snapshot_id)
          and extraction_jobs.account_id = %(account_id)s and extraction_jobs.erased_at is null)
    """


def cites(reader: Reader, account_id: UUID, snapshot_id: UUID) -> bool:
    return bool(value(reader, CITING, account_id=account_id, snapshot_id=snapshot_id))
