"""The extraction_verifications table. A verification has the id of the job that fetches."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, first, run, value, values


@dataclass(frozen=True, slots=True)
class Verification:
    id: UUID
    snapshot_id: UUID | None
    url: str
    quote: str
    stored: dict[str, Any] | None
    live: dict[str, Any] | None
    live_error: str | None
    created_at: datetime
    # from the job
    state: str
    progress: dict[str, Any]


INSERT = """
    insert into extraction_verifications (id, account_id, snapshot_id, url, quote, stored)
    values (%(id)s, %(account_id)s, %(snapshot_id)s, %(url)s, %(quote)s, %(stored)s)
    """


def insert(tx: Tx, **columns: Any) -> None:
    run(tx, INSERT, **columns)


BY_ID = """
    select extraction_verifications.id, extraction_verifications.snapshot_id,
    extraction_verifications.url, extraction_verifications.quote,
    extraction_verifications.stored, extraction_verifications.live,
    extraction_verifications.live_error,
           extraction_verifications.created_at, coalesce(jobs.state, 'failed') as state,
           coalesce(jobs.progress, '{}') as progress
    from extraction_verifications left join jobs using (id)
    where extraction_verifications.id = %(id)s
      and (%(account_id)s::uuid is null or extraction_verifications.account_id = %(account_id)s)
    """


def by_id(reader: Reader, id: UUID, account_id: UUID | None) -> Verification | None:
    """Whosever it is, without an account."""
    return first(reader, Verification, BY_ID, id=id, account_id=account_id)


END = """
    update extraction_verifications set live = %(live)s, live_error = %(live_error)s
    where id = %(id)s
    """


def end(tx: Tx, id: UUID, live: dict[str, Any] | None, live_error: str | None) -> None:
    run(tx, END, id=id, live=live, live_error=live_error)


EXPIRE = """
    with old as (
        select id from extraction_verifications where created_at < now() - interval '1 day'
        order by created_at limit %(most)s for update skip locked
    )
    delete from extraction_verifications using old where extraction_verifications.id = old.id
    returning extraction_verifications.snapshot_id
    """


def expire(tx: Tx, most: int) -> list[UUID | None]:
    """Delete some that are a day old; the snapshot of each."""
    return values(tx, EXPIRE, most=most)


LATEST = """
    select extraction_pages.snapshot_id from extraction_pages
    join extraction_runs on extraction_runs.id = run_id
    join extraction_jobs on extraction_jobs.id = extraction_runs.job_id
    where extraction_pages.url = %(url)s and extraction_pages.snapshot_id is not null
      and extraction_jobs.account_id = %(account_id)s and extraction_jobs.erased_at is null
    order by extraction_pages.fetched_at desc limit 1
    """


def latest_snapshot(reader: Reader, account_id: UUID, url: str) -> UUID | None:
    """Returns the snapshot that a page of the account at this address was last read as."""
    id: UUID | None = value(reader, LATEST, account_id=account_id, url=url)
    return id
