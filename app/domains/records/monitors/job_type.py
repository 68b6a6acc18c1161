"""The type `monitoring`: a schedule, runs that compare, and the events of their ends."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from app.core import ids
from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.core.http.fields import RowView
from app.core.ids import Noun
from app.domains.queue.webhooks import outbox
from app.domains.records.monitors import alert_values, change_store, schemas, service
from app.domains.records.monitors.change_store import MonitorChange
from app.domains.records.page_jobs import extraction
from app.domains.records.page_jobs.runs import run_store, types
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.store import PageJob

_FAILING_RUNS: Final = 10
_CHANGES_TOLD: Final = 20


def run_ended(tx: Tx, job: PageJob, run: JobRun) -> None:
    """Tell whoever listens what changed, and once that nothing could be read for long."""
    if run.stop_reason == "cancelled":
        return
    data = {
        "id": ids.public(Noun.JOB, job.id),
        "run": ids.public(Noun.RUN, run.id),
        "counts": run.stats.get("verdicts", {}),
        "metadata": job.metadata,
    }
    if count := change_store.count(tx, run.id):
        listed = [_thin(change) for change in change_store.first_of(tx, run.id, _CHANGES_TOLD)]
        changed = {**data, "changes": listed, "changes_in_all": count}
        outbox.tell(tx, job.account_id, "job.changed", job.id, changed)
    if _just_failing(tx, run):
        failing = {**data, "runs_in_a_row": _FAILING_RUNS}
        outbox.tell(tx, job.account_id, "job.failing", job.id, failing)
    alert_values.observe(tx, job, run)


def _thin(change: MonitorChange) -> dict[str, Any]:
    return {
        "id": ids.public(Noun.CHANGE, change.id),
        "url": change.url,
        "verdict": change.verdict,
        "pointers": [each["pointer"] for each in change.fields][:20],
    }


def _just_failing(reader: Reader, run: JobRun) -> bool:
    """True if this is the tenth run in a row without a page that could be read."""
    runs = run_store.ended(reader, run.job_id, _FAILING_RUNS + 1)
    failing = [each.done == each.failed for each in runs]
    return all(failing[:_FAILING_RUNS]) and failing.count(True) == _FAILING_RUNS


def changes(reader: Reader, job: PageJob, wanted: types.ChangeFilter) -> list[RowView]:
    """Newest first, as the schema Change describes them."""
    return [_change(row) for row in change_store.page(reader, job.id, **asdict(wanted))]


def _change(row: MonitorChange) -> RowView:
    return RowView(
        row,
        run=row.run_id,
        record=row.record_id,
        snapshot=row.snapshot_id,
        previous_snapshot=row.previous_snapshot_id,
        **{"difference": None, "moved_to": None, "returned": False, **row.facts},
    )


def check(reader: Reader, body: Mapping[str, Any], settings: Settings) -> None:
    """Raises NoEngineConfigured."""
    extraction.check_source(reader, body["source"], settings)


MONITORING: Final = types.JobType(
    name=service.TYPE,
    schema=schemas.MonitoringIn,
    kind=service.RUN,
    begin=service.begin,
    check=check,
    rerun=service.run_now,
    known=service.known,
    judge=service.judge,
    keep_pages=service.keep_pages,
    run_ended=run_ended,
    changes=changes,
    cites=service.cites,
    erase=service.erase,
)
