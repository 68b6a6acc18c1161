"""`citegrid monitor`: pages that are read again and again, and what has changed."""

import json
from typing import Any

import click

from citegrid.cli.command import Session, group, page_options, yes_option
from citegrid.cli.records.job_results import started
from citegrid.cli.records.jobs import run_option, show_list
from citegrid.cli.records.sources import JsonFile, source_options
from citegrid.cli.terminal import line
from citegrid.cli.wait import starting
from citegrid.nouns.records.job_results import Change


@group("monitor")
def monitor_group() -> None:
    """Preview: watch pages for changes on a schedule."""


@monitor_group.command("add")
@source_options
@click.option("--every", metavar="1d", help="Interval, such as 30m, 6h, 1d or 1w. Minimum: 5m.")
@click.option("--cron", metavar='"0 7 * * 1-5"', help="Cron expression, instead of --every.")
@click.option("--timezone", metavar="Europe/Berlin", help="Time zone for --cron. Default: UTC.")
@click.option("--schema", type=JsonFile(), metavar="FILE", help="Compare records with this schema.")
@click.option("--track", multiple=True, metavar="/price", help="Field to compare. Repeatable.")
def add(
    session: Session,
    *,
    source: dict[str, Any],
    every: str | None,
    cron: str | None,
    timezone: str | None,
    track: tuple[str, ...],
    **options: Any,
) -> None:
    """Create a monitor and print its id.

    Without --schema, the text is compared, except for parts that change on every visit.
    """
    schedule = _schedule(every, cron, timezone)
    with starting(session, "monitor list"):
        job = session.client.jobs.monitor(source, schedule, track=list(track) or None, **options)
    session.terminal.result(job, job.id, whole=True)
    session.terminal.suggest(f"citegrid monitor changes {job.id}")


def _schedule(every: str | None, cron: str | None, timezone: str | None) -> dict[str, str]:
    if (every is None) == (cron is None):
        raise click.UsageError("Use either --every or --cron.")
    if every is not None:
        if timezone is not None:
            raise click.UsageError("--timezone requires --cron.")
        return {"every": every}
    return {"cron": cron or "", **({"timezone": timezone} if timezone else {})}


@monitor_group.command("list")
@page_options
def list_monitors(session: Session, **paging: Any) -> None:
    """Print your monitors, newest first."""
    page = session.client.jobs.list(type="monitoring", **paging)
    show_list(session, page)


@monitor_group.command("changes")
@click.argument("job_id")
@run_option
@click.option(
    "--verdict",
    type=click.Choice(["new", "changed", "removed", "error"]),
    help="Only these changes.",
)
@page_options
def changes(session: Session, job_id: str, **which: Any) -> None:
    """Print changes, newest first: fields with old and new values, or lines of text."""
    page = session.client.jobs.list_changes(job_id, **which)
    if session.terminal.as_json:
        session.terminal.json(page)
        return
    if not page.items:
        session.terminal.say("Nothing has changed so far.")
    for n, change in enumerate(page):
        if n:
            session.terminal.text()
        _show(session, change)
    session.terminal.more(page)


def _show(session: Session, change: Change) -> None:
    when = f"{change.created_at:%Y-%m-%d %H:%M} UTC  " if change.created_at else ""
    session.terminal.whole(f"{when}{change.verdict}  {line(change.url)}")
    for field in change.fields:
        before, now = _values(field.get("previous"), field.get("current"))
        session.terminal.text(f"{field.get('pointer')}: {before} → {now}", indent="  ")
    if change.difference:
        session.terminal.text(change.difference.rstrip("\n"), indent="  ")


def _values(before: Any, now: Any) -> tuple[str, str]:
    """Of both sides of a change; their quotes, if only these tell them apart: $ 49 and € 49."""
    values = _value(before), _value(now)
    if values[0] == values[1] and isinstance(before, dict) and isinstance(now, dict):
        return line(f"“{before.get('quote')}”"), line(f"“{now.get('quote')}”")
    return values


def _value(side: Any) -> str:
    if not isinstance(side, dict) or side.get("value") is None:
        return "nothing"
    return line(json.dumps(side["value"], ensure_ascii=False))


@monitor_group.command("run")
@click.argument("job_id")
def run_now(session: Session, job_id: str) -> None:
    """Start a run now, in addition to the schedule."""
    started(session, session.client.jobs.rerun(job_id), hint=f"citegrid monitor changes {job_id}")


@monitor_group.command("remove")
@click.argument("job_id")
@yes_option
def remove(session: Session, job_id: str, yes: bool) -> None:
    """Delete a monitor and its results. To keep the results, use `citegrid jobs cancel`."""
    session.confirm(f"Delete {job_id} and its results?", yes)
    session.client.jobs.delete(job_id)
    session.terminal.deleted(job_id)
