"""Values that alerts about a monitor look at, at the end of each of its runs."""

from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.queue.alerts import observations
from app.domains.queue.alerts import store as alert_store
from app.domains.records.monitors import change_store
from app.domains.records.monitors.change_store import MonitorChange
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import run_store
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.schema.keywords import is_number

_MOST_CHANGES: Final = 1_000
_MOST_RUNS: Final = 100


def owns(reader: Reader, account_id: UUID, job_id: UUID) -> bool:
    job = store.by_id(reader, job_id, account_id)
    return job is not None and job.type == "monitoring"


def observe(tx: Tx, job: PageJob, run: JobRun) -> None:
    """Tell of changes, and of runs in a row without a page that could be read."""
    for alert in alert_store.listening(tx, job.id):
        if alert.condition == "changed":
            observations.count(tx, alert, _changed(tx, run.id, alert.threshold), _title(job))
        else:
            observations.measure(tx, alert, _failed(tx, job.id), _title(job))


def _changed(reader: Reader, run_id: UUID, percent: float | None) -> int:
    """Counts the changed pages; with `percent` those with a number that changed by more."""
    if percent is None:
        return change_store.count_pages(reader, run_id)
    found = change_store.first_of(reader, run_id, _MOST_CHANGES)
    return len({change.url for change in found if _moved(change, percent)})


def _moved(change: MonitorChange, percent: float) -> bool:
    return any(
        exceeds(_value(field["previous"]), _value(field["current"]), percent)
        for field in change.fields
    )


def _value(cell: dict[str, Any] | None) -> Any:
    return None if cell is None else cell["value"]


def exceeds(before: Any, now: Any, percent: float) -> bool:
    """True if both are numbers and differ by more than so many percent of the first."""
    if not (is_number(before) and is_number(now)):
        return False
    return bool(abs(now - before) * 100 > percent * abs(before))


def _failed(reader: Reader, job_id: UUID) -> int:
    """Counts the latest runs, back to one that read a page."""
    failed = 0
    for run in run_store.ended(reader, job_id, _MOST_RUNS):
        if run.done != run.failed:
            break
        failed += 1
    return failed


def _title(job: PageJob) -> str:
    source = job.body["source"]
    return job.metadata.get("name") or source.get("url") or f"of type {source['type']}"
