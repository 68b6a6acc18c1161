"""The extraction_jobs table. What happens now is read from the latest run and its job."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg.types.json import Json, Jsonb

from app.core.db import Reader, Tx, first, lists, run, value, values
from app.core.errors import required


@dataclass(frozen=True, slots=True)
class PageJob:
    id: UUID
    account_id: UUID
    type: str
    body: dict[str, Any]
    plan: dict[str, Any] | None
    metadata: dict[str, str]
    run_id: UUID | None
    schedule_id: UUID | None
    rerun_of: UUID | None
    webhook_id: UUID | None
    part_of: UUID | None
    warnings: list[str]
    deadline_seconds: float
    stop_reason: str | None
    error: dict[str, Any] | None
    created_at: datetime
    ended_at: datetime | None
    expires_at: datetime | None
    status: str
    # from the latest run
    started_at: datetime | None
    deadline_at: datetime | None
    found: int
    done: int
    failed: int
    records: int
    stats: dict[str, Any]
    validation: dict[str, Any] | None
    stage: str | None
    n: int
    # from its schedule
    next_run_at: datetime | None
    paused: bool


OF_CALLERS: LiteralString = "type <> 'campaign'"
"""What runs of campaigns read their pages with is no job to callers: they have the campaign."""

INSERT = """
    insert into extraction_jobs (id, account_id, type, body, plan, metadata, rerun_of, webhook_id,
                                 warnings, deadline_seconds, kept_seconds, part_of)
    values (%(id)s, %(account_id)s, %(type)s, %(body)s, %(plan)s, %(metadata)s, %(rerun_of)s,
            %(webhook_id)s, %(warnings)s, %(deadline_seconds)s, %(kept_seconds)s,
            %(part_of)s)
    """


def insert(
    tx: Tx,
    *,
    body: dict[str, Any],
    plan: dict[str, Any] | None,
    warnings: list[str],
    **columns: Any,
) -> None:
    run(
        tx,
        INSERT,
        body=Json(body),
        plan=None if plan is None else Json(plan),
        warnings=Jsonb(warnings),
        **columns,
    )


STATUS: LiteralString = """
    case when cancelled_at is not null then 'cancelled'
         when extraction_jobs.stop_reason = 'error' then 'failed'
         when extraction_jobs.ended_at is not null then 'completed'
         when schedule_id is not null or jobs.started_at is not null then 'running'
         else 'queued' end
    """

_JOBS: LiteralString = """
    select extraction_jobs.id, extraction_jobs.account_id, type, body, plan, metadata, run_id,
           schedule_id, rerun_of, webhook_id, part_of, warnings, deadline_seconds,
           extraction_jobs.stop_reason, extraction_jobs.error, extraction_jobs.created_at,
           extraction_jobs.ended_at, extraction_jobs.expires_at, {status} as status,
           coalesce(extraction_runs.started_at, jobs.started_at) as started_at,
           case when schedule_id is null then extraction_jobs.created_at
               + make_interval(secs => deadline_seconds) end as deadline_at,
           coalesce(found, 0) as found, coalesce(done, 0) as done, coalesce(failed, 0) as failed,
           coalesce(records, 0) as records, coalesce(stats, '{}') as stats, validation,
           case when extraction_runs.ended_at is null then stage end as stage,
           coalesce(extraction_runs.n, 0) as n,
           case when enabled then next_tick end as next_run_at,
           enabled is not null and not enabled as paused
    from extraction_jobs
    left join extraction_runs on extraction_runs.id = run_id
    left join jobs on jobs.id = run_id
    left join schedules on schedules.id = schedule_id
    where {condition}
    """.replace("{status}", STATUS)

BY_ID = _JOBS.replace(
    "{condition}",
    """extraction_jobs.id = %(id)s and extraction_jobs.account_id = %(account_id)s
      and erased_at is null and part_of is null""",
)


def by_id(reader: Reader, id: UUID, account_id: UUID) -> PageJob | None:
    return first(reader, PageJob, BY_ID, id=id, account_id=account_id)


OF_ANYBODY = _JOBS.replace("{condition}", "extraction_jobs.id = %(id)s")


def of_anybody(reader: Reader, id: UUID) -> PageJob | None:
    """For work that was promised for it: also an erased one."""
    return first(reader, PageJob, OF_ANYBODY, id=id)


PAGE = _JOBS.replace(
    "{condition}",
    "extraction_jobs.account_id = %(account_id)s and erased_at is null and part_of is null",
)
FILTERS: Final[lists.Filters] = {
    "type": "type = %(type)s",
    "status": "{status} = %(status)s".replace("{status}", STATUS),
}


def page(
    reader: Reader,
    account_id: UUID,
    *,
    type: str | None,
    status: str | None,
    before: UUID | None,
    most: int,
) -> list[PageJob]:
    given = {"account_id": account_id, "type": type, "status": status}
    return lists.newest(
        reader, PageJob, PAGE, before, most, FILTERS, id="extraction_jobs.id", **given
    )


TYPE_OF_RUN = """
    select extraction_jobs.type from extraction_jobs join extraction_runs
        on extraction_runs.job_id = extraction_jobs.id
    where extraction_runs.id = %(run_id)s
    """


def type_of_run(reader: Reader, run_id: UUID) -> str:
    """Raises LookupError when the run is gone."""
    type = required(value(reader, TYPE_OF_RUN, run_id=run_id), LookupError(run_id))
    return str(type)


LOCK = "select id from extraction_jobs where id = %(id)s and ended_at is null for update"


def lock_live(tx: Tx, id: UUID) -> bool:
    """Be the only one to begin a run of it; False when the job has ended."""
    return value(tx, LOCK, id=id) is not None


SET_RUN = "update extraction_jobs set run_id = %(run_id)s where id = %(id)s"


def set_run(tx: Tx, id: UUID, run_id: UUID) -> None:
    run(tx, SET_RUN, id=id, run_id=run_id)


SET_SCHEDULE = "update extraction_jobs set schedule_id = %(schedule_id)s where id = %(id)s"


def set_schedule(tx: Tx, id: UUID, schedule_id: UUID) -> None:
    run(tx, SET_SCHEDULE, id=id, schedule_id=schedule_id)


SET_WEBHOOK = "update extraction_jobs set webhook_id = %(webhook_id)s where id = %(id)s"


def set_webhook(tx: Tx, id: UUID, webhook_id: UUID) -> None:
    run(tx, SET_WEBHOOK, id=id, webhook_id=webhook_id)


WARN = """
    update extraction_jobs set warnings = warnings || to_jsonb(%(warning)s::text)
    where id = %(id)s and not warnings ? %(warning)s and jsonb_array_length(warnings) < 50
    """


def warn(tx: Tx, id: UUID, warning: str) -> None:
    """Add a warning to a job, once."""
    run(tx, WARN, id=id, warning=warning)


END = """
    update extraction_jobs
    set ended_at = now(), stop_reason = %(stop_reason)s, error = %(error)s,
        cancelled_at = case when %(stop_reason)s = 'cancelled' then now() end,
        expires_at = case when part_of is null or kept_seconds > 0
                     then now() + make_interval(secs => kept_seconds) end
    where id = %(id)s and ended_at is null
    returning id
    """


def end(tx: Tx, id: UUID, stop_reason: str, error: dict[str, Any] | None) -> bool:
    """False when it had ended already."""
    return value(tx, END, id=id, stop_reason=stop_reason, error=error) is not None


# An hour later the retention looks whether its rows went.
ERASE = """
    update extraction_jobs set erased_at = now(), expires_at = now() + interval '1 hour'
    where id = %(id)s and account_id = %(account_id)s and erased_at is null
    """


def erase(tx: Tx, id: UUID, account_id: UUID) -> bool:
    return run(tx, ERASE, id=id, account_id=account_id) == 1


ERASE_PARTS = """
    update extraction_jobs set erased_at = now(), expires_at = now() + interval '1 hour'
    where part_of in (select id from extraction_runs where job_id = %(id)s) and erased_at is null
    returning id
    """


def erase_parts(tx: Tx, id: UUID) -> list[UUID]:
    """Make the jobs that are steps of this one unreadable, so that they can be deleted."""
    return values(tx, ERASE_PARTS, id=id)


EXPIRE = """
    with old as (
        select id from extraction_jobs where expires_at <= now()
        order by expires_at limit %(most)s for update skip locked
    )
    update extraction_jobs
    set erased_at = coalesce(extraction_jobs.erased_at, now()),
    expires_at = now() + interval '1 hour'
    from old where extraction_jobs.id = old.id
    returning extraction_jobs.id
    """


def expire(tx: Tx, most: int) -> list[UUID]:
    """Jobs past their time, and those whose erasing did not come to its end."""
    return values(tx, EXPIRE, most=most)


ANY_OF = "select id from extraction_jobs where account_id = %(account_id)s limit 1"


def any_of(reader: Reader, account_id: UUID) -> UUID | None:
    """A job of the account that is there yet, ended and erased ones too."""
    stored: UUID | None = value(reader, ANY_OF, account_id=account_id)
    return stored


DELETE = "delete from extraction_jobs where id = %(id)s and erased_at is not null"


def delete(tx: Tx, id: UUID) -> bool:
    return run(tx, DELETE, id=id) == 1
