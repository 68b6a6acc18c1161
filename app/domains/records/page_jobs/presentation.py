"""Jobs, runs, pages, records and changes as their callers see them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader
from app.core.http.fields import RowView
from app.core.ids import Noun
from app.domains.library.passages.store import Snapshot
from app.domains.queue.jobs.service import FINISHED
from app.domains.queue.jobs.watch import JobWatch
from app.domains.records.page_jobs import result_schemas, schemas, service
from app.domains.records.page_jobs.runs import types
from app.domains.records.page_jobs.runs.record_store import StoredRecord
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.page_jobs.verification.quote_check import QuoteCheck
from app.domains.records.page_jobs.verification.verification_store import Verification
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.values.calibration import unsure

_STATES: Final = {"completed": "succeeded", "failed": "failed", "cancelled": "cancelled"}


def listed(job: PageJob) -> RowView:
    return RowView(
        job,
        source=_source_of_job(job.body),
        schedule=_schedule(job.body),
        completed_at=job.ended_at,
        progress=progress(job),
        coverage=coverage(job),
    )


def _source_of_job(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The source of pages in short; None of a workflow, whose steps have their own."""
    if (given := body.get("source")) is None:
        return None
    urls = given.get("urls") or [given.get("url")]
    return {"type": given["type"], "url": urls[0], "query": given.get("query"), "count": len(urls)}


def _schedule(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """When a monitor runs; None of jobs that run once."""
    if (given := body.get("schedule")) is None:
        return None
    zone = given.get("timezone", "UTC") if "cron" in given else None
    return {"every": given.get("every"), "cron": given.get("cron"), "timezone": zone}


def as_sent(job: PageJob) -> dict[str, Any]:
    """The body that makes such a job again, with defaults; without its webhook."""
    body = {name: value for name, value in job.body.items() if name != "webhook"}
    seconds = body.pop("deadline_seconds", None)
    return body if seconds is None else {**body, "deadline": f"{int(seconds)}s"}


def whole(reader: Reader, job: PageJob) -> RowView:
    webhook = None if job.webhook_id is None else {"id": ids.public(Noun.WEBHOOK, job.webhook_id)}
    added = types.of(job.type).present(reader, job)
    return RowView(listed(job), **{"steps": None, "webhook": webhook, **added})


def progress(job: PageJob) -> dict[str, Any]:
    return {
        "percent": _percent(job),
        "stage": _stage(job),
        "pages_found": job.found,
        "pages_done": job.done,
        "pages_failed": job.failed,
        "records": job.records,
    }


def coverage(job: PageJob) -> float | None:
    """The share of all fields of the latest run's records that have a value; known at its end."""
    filled, fields = job.stats.get("fields"), (job.plan or {}).get("properties", ())
    if filled is None or not job.records or not fields:
        return None
    values: int = sum(count for name, count in filled.items() if name in fields)
    return round(min(1.0, values / (job.records * len(fields))), 3)


def _percent(job: PageJob) -> int:
    """100 is said of what has ended well, and of a monitor that waits for its next run."""
    if job.status == "completed":
        return 100
    most = 100 if _stage(job) == "waiting" else 99
    return min(most, 100 * job.done // job.found) if job.found else 0


def _stage(job: PageJob) -> str:
    if job.ended_at is not None:
        return "done"
    return "queued" if job.status == "queued" else job.stage or "waiting"


@dataclass(frozen=True, slots=True)
class JobView:
    """A job with the facts that watchers need; its id is that of the queue's job behind it."""

    id: UUID
    state: str
    progress: dict[str, Any]
    json: dict[str, Any] = field(repr=False)


def _moving(reader: Reader, account_id: UUID, id: UUID) -> JobView:
    job = service.find(reader, account_id, id)
    json = schemas.JobOut().dump(whole(reader, job))
    state = _STATES.get(job.status, "running")
    return JobView(job.run_id or job.id, state, _report(job, json["progress"]), json)


def _report(job: PageJob, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Empty until there is any progress; `version` is another whenever something moved."""
    if job.status == "queued":
        return {}
    return {**facts, "version": "-".join(str(fact) for fact in (job.n, *facts.values()))}


WATCHED: Final = JobWatch(_moving, lambda moving: moving.json)
"""Long polls and event streams of jobs."""


def run(row: JobRun) -> RowView:
    verdicts = row.stats.get("verdicts", {})
    return RowView(
        row,
        pages={
            "found": row.found,
            "done": row.done,
            "failed": row.failed,
            **{verdict: verdicts.get(verdict, 0) for verdict in result_schemas.VERDICTS},
        },
        stats={name: value for name, value in row.stats.items() if name != "verdicts"},
        completed_at=row.ended_at,
    )


def record(row: StoredRecord, names: Iterable[str]) -> dict[str, Any]:
    """A record as RecordOut describes it; `names` is the order of its values."""
    return {
        "id": row.id,
        "url": row.url,
        "final": row.final,
        "confidence": row.confidence,
        "unsure": unsure(row.provenance, row.data),
        "data": in_order(row.data, names),
        "unsatisfied": row.unsatisfied,
        "candidates": row.candidates,
        "provenance": [{**each, **_source(row)} for each in row.provenance],
    }


def names(plans: Sequence[Plan]) -> list[str]:
    """The fields of records, in the order of their schemas."""
    return list(dict.fromkeys(field.name for plan in plans for field in plan.fields))


def in_order(data: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The same values, those of `names` first: the database keeps no order."""
    first = {name: data[name] for name in names if name in data}
    return {**first, **data}


def _source(row: StoredRecord) -> dict[str, Any]:
    return {
        "source_url": row.source_url,
        "snapshot": row.snapshot_id,
        "content_hash": row.content_hash,
        "fetched_at": row.fetched_at,
    }


def snapshot(row: Snapshot) -> RowView:
    return RowView(row, visible_end=row.facts.get("visible_end", len(row.text)))


def verified(stored: QuoteCheck | None) -> dict[str, Any]:
    """A quote that was looked for in a stored text only."""
    found = None if stored is None else stored.as_json()
    return {"id": None, "status": "completed", "stored": found, "live": None, "live_error": None}


def verification(row: Verification) -> RowView:
    return RowView(row, status="completed" if row.state in FINISHED else "running")
