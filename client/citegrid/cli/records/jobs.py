"""`citegrid jobs`: what was started, and what it came to; `citegrid workflow`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from citegrid.cli.command import Session, end, group, page_options, yes_option
from citegrid.cli.records.job_results import (
    checked,
    delivered,
    output_option,
    show_records,
    show_secret,
    started,
    state,
    verdict,
    waited,
    write,
)
from citegrid.cli.records.sources import JsonFile
from citegrid.cli.wait import starting, timeout_option
from citegrid.nouns.pagination import Page
from citegrid.nouns.records.job_results import FINISHED, Job, JobSummary

TYPES = ["extraction", "monitoring", "workflow"]
STATUSES = ["queued", "running", "completed", "failed", "cancelled"]

run_option = click.option("--run", metavar="run_…", help="Run to read. Default: the latest.")


@group("jobs")
def jobs_group() -> None:
    """Preview: list, show, watch, cancel and delete jobs."""


@jobs_group.command("list")
@click.option("--type", "of_type", type=click.Choice(TYPES), help="Only jobs of this type.")
@click.option("--status", type=click.Choice(STATUSES), help="Only jobs with this status.")
@page_options
def list_jobs(session: Session, of_type: Any, status: Any, **paging: Any) -> None:
    """Print your jobs, newest first."""
    page = session.client.jobs.list(type=of_type, status=status, **paging)
    show_list(session, page)


def show_list(session: Session, page: Page[JobSummary]) -> None:
    rows = [
        (job.id, job.type, job.status, f"{job.created_at:%Y-%m-%d %H:%M}", job.progress.records)
        for job in page
    ]
    session.terminal.page(page, ("ID", "TYPE", "STATUS", "CREATED", "RECORDS"), rows)


@jobs_group.command("show")
@click.argument("job_id")
def show(session: Session, job_id: str) -> None:
    """Print a job. For its records, use `citegrid jobs records`."""
    job = session.client.jobs.get(job_id)
    show_job(session, job)
    end(verdict(job))


def show_job(session: Session, job: Job) -> None:
    if session.terminal.as_json:
        session.terminal.json(job)
        return
    session.terminal.text(state(job))
    for step in job.steps or ():
        why = f": {step['because']}" if step.get("because") else ""
        session.terminal.text(
            f"{step.get('step') or step.get('id')} {step.get('state')}{why}", "  "
        )


@jobs_group.command("watch")
@click.argument("job_id")
@output_option
@timeout_option
def watch(session: Session, job_id: str, output: Path | None, timeout: float | None) -> None:
    """Wait for a job, then write or print its records like `citegrid extract`."""
    checked(output)
    job = waited(session, job_id, timeout, output)
    end(delivered(session, job, output))


@jobs_group.command("records")
@click.argument("job_id")
@output_option
@run_option
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Minimum confidence.")
def records(session: Session, job_id: str, output: Path | None, **which: Any) -> None:
    """Print or write the records found so far."""
    checked(output)
    if output is not None:
        write(session.client.jobs, job_id, output, **which)
    elif session.terminal.as_json:
        session.terminal.json({"records": [*session.client.jobs.records(job_id, **which)]})
    else:
        show_records(session.terminal, session.client.jobs.records(job_id, **which))


@jobs_group.command("pages")
@click.argument("job_id")
@run_option
@click.option("--outcome", metavar="NAME", help="Only pages with this outcome, such as http_404.")
@page_options
def pages(session: Session, job_id: str, **which: Any) -> None:
    """Print the pages of a run with their outcomes."""
    page = session.client.jobs.list_pages(job_id, **which)
    rows = [(each.outcome or "-", each.verdict or "-", each.records, each.url) for each in page]
    session.terminal.page(page, ("OUTCOME", "VERDICT", "RECORDS", "URL"), rows)


@jobs_group.command("correct")
@click.argument("job_id")
@click.option("--record", "record_id", metavar="rec_…", help="Record. Default: the first.")
@click.option(
    "--set",
    "values",
    multiple=True,
    required=True,
    metavar="NAME=VALUE",
    help="Correct value: text, or JSON if the field is no text. NAME= removes it. Repeatable.",
)
def correct(session: Session, job_id: str, record_id: str | None, values: tuple[str, ...]) -> None:
    """Correct a record, and start a new job that learns from it."""
    jobs = session.client.jobs
    schema = jobs.request(job_id).request.get("schema") or {}
    record = next((r for r in jobs.records(job_id) if record_id in (None, r.id)), None)
    if record is None:
        raise click.UsageError("The job has no such record.")
    given = dict(_assigned(each, schema.get("properties") or {}) for each in values)
    data = {name: value for name, value in {**record.data, **given}.items() if value is not None}
    with starting(session, "jobs list"):
        job = jobs.correct(job_id, record.url, data)
    started(session, job)


def _assigned(text: str, properties: Mapping[str, Any]) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or name not in properties:
        raise click.UsageError(f"--set must be NAME=VALUE, NAME being one of {[*properties]}.")
    if not value:
        return name, None
    stated = properties[name].get("type")
    if "string" in (stated if isinstance(stated, list) else [stated or "string"]):
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        raise click.UsageError(f"--set {name} must be JSON.") from None


@jobs_group.command("cancel")
@click.argument("job_id")
def cancel(session: Session, job_id: str) -> None:
    """Cancel a job or a monitor and keep its results."""
    show_job(session, session.client.jobs.cancel(job_id))


@jobs_group.command("rerun")
@click.argument("job_id")
def rerun(session: Session, job_id: str) -> None:
    """Run a job again as a new job. For a monitor, start a run now."""
    with starting(session, "jobs list"):
        job = session.client.jobs.rerun(job_id)
    started(session, job)


@jobs_group.command("delete")
@click.argument("job_id")
@yes_option
def delete(session: Session, job_id: str, yes: bool) -> None:
    """Delete a job and its records."""
    session.confirm(f"Delete {job_id} and its records?", yes)
    session.client.jobs.delete(job_id)
    session.terminal.deleted(job_id)


@group("workflow")
def workflow_group() -> None:
    """Preview: combine search, extraction, filter, dedupe and validate steps."""


@workflow_group.command("run")
@click.argument("file", type=JsonFile())
@output_option
@timeout_option
@click.option("--detach", is_flag=True, help="Print the id without waiting.")
def run_workflow(
    session: Session, file: Any, output: Path | None, timeout: float | None, detach: bool
) -> None:
    """Run the steps in a JSON file, {"steps": [...]}, and write or print the resulting records."""
    checked(output)
    given = file if isinstance(file, dict) else {"steps": file}
    with starting(session, "jobs list"):
        job = session.client.jobs.create({"type": "workflow", **given})
    if detach:
        started(session, job)
        return
    show_secret(job)
    job = waited(session, job.id, timeout, output)
    code = delivered(session, job, output)
    if job.status not in FINISHED or job.status == "failed":
        show_job(session, job)
    end(code)
