"""The extraction_runs table. A run has the id of its job; a tick that was skipped has one too."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, run, value


@dataclass(frozen=True, slots=True)
class JobRun:
    id: UUID
    job_id: UUID
    n: int
    tick: datetime | None
    skipped: str | None
    stop_reason: str | None
    error: dict[str, Any] | None
    started_at: datetime | None
    ended_at: datetime | None
    found: int
    done: int
    failed: int
    records: int
    stats: dict[str, Any]
    validation: dict[str, Any] | None
    templates: dict[str, Any]
    stage: str
    unpaced: list[str]

    @property
    def status(self) -> str:
        if self.skipped is not None:
            return f"skipped_{self.skipped}"
        ends = {"cancelled": "cancelled", "error": "failed", None: "running"}
        return ends.get(self.stop_reason, "completed")


# The job's row is locked by the caller: nobody else numbers its runs.
INSERT = """
    insert into extraction_runs (id, job_id, n, tick, skipped, ended_at, expires_at)
    select %(id)s, %(job_id)s, 1 + coalesce(max(n), 0), %(tick)s, %(skipped)s,
           case when %(skipped)s::text is not null then now() end,
           case when %(skipped)s::text is not null then now() + (
               select make_interval(secs => kept_seconds) from extraction_jobs
               where extraction_jobs.id = %(job_id)s) end
    from extraction_runs where job_id = %(job_id)s
    on conflict (job_id) where ended_at is null do nothing
    returning id
    """


def insert(
    tx: Tx, id: UUID, job_id: UUID, tick: datetime | None, skipped: str | None = None
) -> bool:
    """False when another run of the job is open."""
    return value(tx, INSERT, id=id, job_id=job_id, tick=tick, skipped=skipped) is not None


FOLLOW = """
    update extraction_runs
    set expires_at = ended_at + (
        select make_interval(secs => kept_seconds) from extraction_jobs
        where extraction_jobs.id = %(job_id)s)
    where job_id = %(job_id)s and id <> %(id)s and expires_at is null
    """


def follow(tx: Tx, id: UUID, job_id: UUID) -> None:
    """Let the runs before this one be deleted once their time has come."""
    run(tx, FOLLOW, id=id, job_id=job_id)


_RUNS: LiteralString = """
    select extraction_runs.id, extraction_runs.job_id, extraction_runs.n, extraction_runs.tick,
    extraction_runs.skipped, extraction_runs.stop_reason, extraction_runs.error,
           coalesce(extraction_runs.started_at, jobs.started_at) as started_at,
           extraction_runs.ended_at,
           extraction_runs.found, extraction_runs.done, extraction_runs.failed,
           extraction_runs.records, extraction_runs.stats, extraction_runs.validation,
           extraction_runs.templates,
           extraction_runs.stage, extraction_runs.unpaced
    from extraction_runs left join jobs using (id)
    where {condition}
    """

BY_ID = _RUNS.replace("{condition}", "extraction_runs.id = %(id)s")


def by_id(reader: Reader, id: UUID) -> JobRun | None:
    return first(reader, JobRun, BY_ID, id=id)


OPEN = "select id from extraction_runs where job_id = %(job_id)s and ended_at is null"


def open_of(reader: Reader, job_id: UUID) -> UUID | None:
    id: UUID | None = value(reader, OPEN, job_id=job_id)
    return id


PAGE = _RUNS.replace("{condition}", "job_id = %(job_id)s")
FILTERS: Final[lists.Filters] = {
    "before": """n < (
        select n from extraction_runs where id = %(before)s and job_id = %(job_id)s)"""
}


def page(reader: Reader, job_id: UUID, before: UUID | None, most: int) -> list[JobRun]:
    given = {"job_id": job_id, "before": before}
    return lists.page(reader, JobRun, PAGE, FILTERS, order="n desc", most=most, **given)


ENDED = _RUNS.replace(
    "{condition}",
    """job_id = %(job_id)s and ended_at is not null and skipped is null
      and stop_reason <> 'cancelled'
    order by n desc limit %(most)s""",
)


def ended(reader: Reader, job_id: UUID, most: int) -> list[JobRun]:
    """The latest runs that came to their end, newest first."""
    return many(reader, JobRun, ENDED, job_id=job_id, most=most)


FAILED_BEFORE = """
    select count(*) from extraction_runs
    where job_id = %(job_id)s and n < %(n)s and (error is not null or skipped is not null)
    """


def failed_before(reader: Reader, run: JobRun) -> int:
    """Counts the runs before this one that read nothing."""
    return int(value(reader, FAILED_BEFORE, job_id=run.job_id, n=run.n))


COUNT = """
    update extraction_runs
    set done = done + %(done)s, failed = failed + %(failed)s, records = records + %(records)s
    where id = %(id)s
    """


def count(tx: Tx, id: UUID, *, done: int = 0, failed: int = 0, records: int = 0) -> None:
    run(tx, COUNT, id=id, done=done, failed=failed, records=records)


SET_STAGE = "update extraction_runs set stage = %(stage)s where id = %(id)s"


def set_stage(tx: Tx, id: UUID, stage: str) -> None:
    """Sets the stage that a run goes on with when its job is done again."""
    run(tx, SET_STAGE, id=id, stage=stage)


SET_UNPACED = """
    update extraction_runs set unpaced = unpaced || %(host)s::text
    where id = %(id)s and not %(host)s = any(unpaced)
    """


def set_unpaced(tx: Tx, id: UUID, host: str) -> None:
    """Remember that requests to this host need no pause between them."""
    run(tx, SET_UNPACED, id=id, host=host)


NOTE = "update extraction_runs set stats = stats || %(stats)s where id = %(id)s"


def note(tx: Tx, id: UUID, stats: dict[str, Any]) -> None:
    run(tx, NOTE, id=id, stats=stats)


LEARN = "update extraction_runs set templates = templates || %(templates)s where id = %(id)s"


def learn(tx: Tx, id: UUID, templates: dict[str, Any]) -> None:
    run(tx, LEARN, id=id, templates=templates)


END = """
    update extraction_runs
    set ended_at = now(), stop_reason = %(stop_reason)s, error = %(error)s,
        stats = extraction_runs.stats || %(stats)s,
        validation = coalesce(%(validation)s, extraction_runs.validation),
        started_at = (select started_at from jobs where jobs.id = extraction_runs.id),
        found = extraction_runs.found + parts.found, done = extraction_runs.done + parts.done,
        failed = extraction_runs.failed + parts.failed
    from (
        select coalesce(sum(part.found), 0) as found, coalesce(sum(part.done), 0) as done,
               coalesce(sum(part.failed), 0) as failed
        from extraction_jobs join extraction_runs as part on part.id = extraction_jobs.run_id
        where extraction_jobs.part_of = %(id)s and part.id <> %(id)s
    ) as parts
    where extraction_runs.id = %(id)s and extraction_runs.ended_at is null
    returning extraction_runs.job_id
    """


def end(
    tx: Tx,
    id: UUID,
    *,
    stop_reason: str,
    error: dict[str, Any] | None,
    stats: dict[str, Any],
    validation: dict[str, Any] | None,
) -> UUID | None:
    """The id of its job; None when the run had ended already. Pages of its parts are its own."""
    job_id: UUID | None = value(
        tx, END, id=id, stop_reason=stop_reason, error=error, stats=stats, validation=validation
    )
    return job_id
