"""The monitor_views table, and what has changed since."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value

MOST_COUNTED = 100


@dataclass(frozen=True, slots=True)
class News:
    """When a monitor last reported something, and how much since its owner last looked."""

    job_id: UUID
    last_change_at: datetime | None
    unseen: int


NEWS = """
    select extraction_jobs.id as job_id,
           (select created_at from monitor_changes where job_id = extraction_jobs.id
            order by id desc limit 1) as last_change_at,
           (select count(*) from (
                select from monitor_changes
                join extraction_runs on extraction_runs.id = monitor_changes.run_id
                where monitor_changes.job_id = extraction_jobs.id
                  and extraction_runs.n > coalesce(monitor_views.run_n, 0)
                limit %(most)s) as fresh)::int as unseen
    from extraction_jobs left join monitor_views on monitor_views.job_id = extraction_jobs.id
    where extraction_jobs.id = any(%(ids)s) and extraction_jobs.account_id = %(account_id)s
    and extraction_jobs.erased_at is null
    """


def news(reader: Reader, account_id: UUID, ids: Sequence[UUID]) -> list[News]:
    """Of those that are the account's; what is new is counted up to `MOST_COUNTED`."""
    return many(reader, News, NEWS, account_id=account_id, ids=list(ids), most=MOST_COUNTED)


VIEWED = """
    select monitor_views.run_n from monitor_views join extraction_jobs
      on extraction_jobs.id = monitor_views.job_id
    where monitor_views.job_id = %(id)s and extraction_jobs.account_id = %(account_id)s
    """


def viewed(reader: Reader, account_id: UUID, id: UUID) -> int | None:
    """The run up to which its owner has looked; None before the first time."""
    run_n: int | None = value(reader, VIEWED, account_id=account_id, id=id)
    return run_n


# What a run that goes on, or was left out, has to report is not there yet to be looked at.
VIEW = """
    insert into monitor_views (job_id, run_n)
    select extraction_runs.job_id, max(extraction_runs.n) from extraction_runs
    join extraction_jobs on extraction_jobs.id = extraction_runs.job_id
    where extraction_jobs.account_id = %(account_id)s and extraction_jobs.type = 'monitoring'
    and extraction_jobs.erased_at is null
      and (%(id)s::uuid is null or extraction_runs.job_id = %(id)s)
      and extraction_runs.ended_at is not null and extraction_runs.skipped is null
    group by extraction_runs.job_id
    on conflict (job_id) do update set run_n = excluded.run_n, viewed_at = now()
    """


def view(tx: Tx, account_id: UUID, id: UUID | None = None) -> int:
    """Write down that all there is of one monitor, or of every one, was looked at; how many."""
    return run(tx, VIEW, account_id=account_id, id=id)
