"""The jobs table as operators search it: any account's jobs, by a filter.

Conditions are put together from those that a filter has: a plan for all of them at once would use
the index of none.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, value, values


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of jobs; None is any. `state` may also be `open`: not ended.

    `since` and `until` bound when a job ended or, while it is open, when it was created.
    """

    state: str | None = None
    kind: str | None = None
    queue: str | None = None
    account_id: UUID | None = None
    error_code: str | None = None
    since: datetime | None = None
    until: datetime | None = None


# Literals: only they are matched with the conditions of partial indexes.
CONDITIONS: Final[dict[str, LiteralString]] = {
    "open": "finished_at is null",
    "pending": "state = 'pending'",
    "queued": "state = 'queued'",
    "dispatched": "state = 'dispatched'",
    "running": "state = 'running'",
    "waiting": "state = 'waiting'",
    "succeeded": "state = 'succeeded'",
    "failed": "state = 'failed'",
    "cancelled": "state = 'cancelled'",
}
_FIELDS: Final[dict[str, LiteralString]] = {
    "kind": "kind = %(kind)s",
    "queue": "queue = %(queue)s",
    "account_id": "account_id = %(account_id)s",
    "error_code": "error ->> 'code' = %(error_code)s",
}
_AGES: Final[dict[str, dict[str, LiteralString]]] = {
    "failed": {"since": "finished_at >= %(since)s", "until": "finished_at < %(until)s"},
    "open": {"since": "created_at >= %(since)s", "until": "created_at < %(until)s"},
}
_ANY_AGE: Final[dict[str, LiteralString]] = {
    "since": "coalesce(finished_at, created_at) >= %(since)s",
    "until": "coalesce(finished_at, created_at) < %(until)s",
}


def _where(wanted: Filter) -> LiteralString:
    given = asdict(wanted)
    fields = _FIELDS | _AGES.get(wanted.state or "", _ANY_AGE)
    conditions = [sql for name, sql in fields.items() if given[name] is not None]
    if wanted.state is not None:
        conditions.append(CONDITIONS[wanted.state])
    return " and ".join(conditions) or "true"


@dataclass(frozen=True, slots=True)
class JobSummary:
    id: UUID
    account_id: UUID
    queue: str
    kind: str
    state: str
    attempt: int
    max_attempts: int
    worker: str | None
    error: dict[str, Any] | None
    created_at: datetime
    run_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    parent_id: UUID | None


_LISTED: Final = """
    select id, account_id, queue, kind, state, attempt, max_attempts, worker, error, created_at,
           run_at, started_at, finished_at, parent_id
    from jobs where """


def page(reader: Reader, wanted: Filter, before: UUID | None, most: int) -> list[JobSummary]:
    """Newest first, behind the job `before`."""
    return lists.newest(
        reader, JobSummary, _LISTED + _where(wanted), before, most, **asdict(wanted)
    )


def counts(reader: Reader, wanted: Filter) -> dict[str, int]:
    sql = "select state, count(*)::int from jobs where " + _where(wanted) + " group by state"  # noqa: S608
    return dict(reader.execute(sql, asdict(wanted)).fetchall())


@dataclass(frozen=True, slots=True)
class JobDetail(JobSummary):
    """With what it was given, its report, and its request."""

    payload: dict[str, Any]
    progress: dict[str, Any]
    deadline_at: datetime
    request_id: str | None
    worked_seconds: float | None
    parts_open: int


BY_ID = """
    select id, account_id, queue, kind, state, attempt, max_attempts, worker, error, created_at,
           run_at, started_at, finished_at, parent_id, payload, progress, deadline_at, request_id,
           worked_seconds, parts_open
    from jobs where id = %(id)s
    """

PARTS = _LISTED + "parent_id = %(id)s order by id limit %(most)s"


def by_id(reader: Reader, id: UUID) -> JobDetail | None:
    return first(reader, JobDetail, BY_ID, id=id)


def parts(reader: Reader, id: UUID, most: int) -> list[JobSummary]:
    return many(reader, JobSummary, PARTS, id=id, most=most)


# Parts end with their parent; only a job of its own is retried or cancelled.
_ELIGIBLE: Final[dict[str, LiteralString]] = {
    "retry": " and state = 'failed' and parent_id is null and kind = any(%(kinds)s)"
    " and finished_at <= %(as_of)s",
    "cancel": " and finished_at is null and parent_id is null and kind = any(%(kinds)s)"
    " and created_at <= %(as_of)s",
}


def eligible(
    reader: Reader, action: str, wanted: Filter, kinds: list[str], as_of: datetime | None
) -> int:
    """Counts the matches that `action` can be applied to, as it was then; None is now."""
    sql = "select count(*)::int from jobs where " + _where(wanted) + _ELIGIBLE[action]  # noqa: S608
    named = {**asdict(wanted), "kinds": kinds, "as_of": as_of or "infinity"}
    return int(value(reader, sql, **named))


def take(
    tx: Tx,
    action: str,
    wanted: Filter,
    kinds: list[str],
    as_of: datetime,
    after: UUID | None,
    most: int,
) -> list[UUID]:
    """Some of those jobs behind `after`, oldest first, locked; nobody is waited for."""
    behind = " and id > %(after)s" if after else ""
    sql = "select id from jobs where " + _where(wanted) + _ELIGIBLE[action] + behind  # noqa: S608
    locked = sql + " order by id limit %(most)s for update skip locked"
    named = {**asdict(wanted), "kinds": kinds, "as_of": as_of, "after": after, "most": most}
    return values(tx, locked, **named)


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures of one kind of work for one reason; `retriable` of them can be done again."""

    kind: str
    queue: str
    code: str
    message: str
    jobs: int
    retriable: int
    last_at: datetime


CAUSES = """
    select kind, queue, coalesce(error ->> 'code', 'unknown') as code,
           coalesce(max(error ->> 'message'), '') as message, count(*)::int as jobs,
           (count(*) filter (where parent_id is null and kind = any(%(kinds)s)))::int as retriable,
           max(finished_at) as last_at
    from jobs
    where state = 'failed' and finished_at >= %(since)s
      and (%(queue)s::text is null or queue = %(queue)s)
    group by kind, queue, 3 order by jobs desc, kind, code limit %(most)s
    """


def causes(
    reader: Reader, since: datetime, queue: str | None, kinds: list[str], most: int
) -> list[Cause]:
    return many(reader, Cause, CAUSES, since=since, queue=queue, kinds=kinds, most=most)
