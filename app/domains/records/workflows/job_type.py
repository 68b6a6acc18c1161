"""The job type `workflow`, declared for the domain of page jobs."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from app.core.config.settings import Settings
from app.core.db import Reader
from app.domains.records.page_jobs import extraction
from app.domains.records.page_jobs.runs import types
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.workflows import graph, item_store, schemas, service, step_store


def check(reader: Reader, body: Mapping[str, Any], settings: Settings) -> None:
    """Raises NoEngineConfigured when a step searches and nothing can be found."""
    for step in body["steps"]:
        source = {"type": "search"} if step["type"] == "search" else step["with"].get("source")
        if source is not None:
            extraction.check_source(reader, source, settings)


def present(reader: Reader, job: PageJob) -> dict[str, Any]:
    """The steps with their states, and the progress that follows from them."""
    steps = [] if job.run_id is None else service.presented(reader, job.run_id)
    ended = sum(step["state"] in ("done", "failed", "skipped") for step in steps)
    pages = [step["pages"] for step in steps if step["pages"]]
    percent = min(99, 100 * ended // max(1, len(steps)))
    active = [step["id"] for step in steps if step["state"] in ("ready", "running")]
    stage = ", ".join(active) or ("ending" if ended else "planning")
    progress = {
        "percent": 100 if job.status == "completed" else percent,
        "stage": job.status if job.ended_at or job.status == "queued" else stage,
        "pages_found": sum(page["found"] for page in pages),
        "pages_done": sum(page["done"] for page in pages),
        "pages_failed": sum(page["failed"] for page in pages),
        "records": job.records,
    }
    return {"steps": schemas.StepOut(many=True).dump(steps), "progress": progress}


def record_schemas(job: PageJob) -> list[dict[str, Any]]:
    """Returns the schemas of the extractions that its records come from."""
    return [step["with"]["schema"] for step in graph.record_sources(job.body["steps"])]


def page_runs(reader: Reader, run_id: UUID) -> list[UUID | None]:
    return [step.job_id for step in step_store.of_run(reader, run_id)]


WORKFLOW: Final = types.JobType(
    name="workflow",
    schema=schemas.WorkflowIn,
    kind=service.RUN,
    begin=service.begin,
    check=check,
    present=present,
    record_schemas=record_schemas,
    page_runs=page_runs,
    run_ended=service.run_ended,
    erase=item_store.erase,
)
