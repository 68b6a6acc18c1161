"""`citegrid monitor`: pages that are read again and again, and what has changed."""

import itertools
import json
from typing import Any

import click

from citegrid.cli.command import Session, cursor_option, group, limit_option, yes_option
from citegrid.cli.records.job_results import started
from citegrid.cli.records.jobs import run_option, show_list
from citegrid.cli.records.sources import JsonFile, source_options
from citegrid.cli.terminal import line
from citegrid.nouns.records.job_results import Change


@group("monitor")
def monitor_group() -> None:
    """Preview: read pages on a schedule, and see what changed."""


@monitor_group.command("add")
@source_options
@click.option("--every", metavar="1d", help="How often: 30m, 6h, 1d, 1w; at least 5m.")
@click.option("--cron", metavar='"0 7 * * 1-5"', help="When, instead of --every.")
@click.option("--timezone", metavar="Europe/Berlin", help="With --cron; else UTC.")
@click.option("--schema", type=JsonFile(), metavar="FILE", help="Compare records of this schema.")
@click.option("--track", multiple=True, metavar="/price", help="Compare only this field.")
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
    """Watch pages from now on and print the id of the monitor.

    Without --schema their text is compared, without what changes at each reading.
    """
    schedule = _schedule(every, cron, timezone)
    with session.client() as client:
        job = client.jobs.monitor(source, schedule, track=list(track) or None, **options)
    session.terminal.result(job, job.id, whole=True)
    session.terminal.say(f"try:  citegrid monitor changes {job.id}")


def _schedule(every: str | None, cron: str | None, timezone: str | None) -> dict[str, str]:
    if (every is None) == (cron is None):
        raise click.UsageError("Takes either --every or --cron.")
    if every is not None:
        if timezone is not None:
            raise click.UsageError("--timezone needs --cron.")
        return {"every": every}
    return {"cron": cron or "", **({"timezone": timezone} if timezone else {})}


@monitor_group.command("list")
@limit_option
@cursor_option
def list_monitors(session: Session, limit: int, cursor: str | None) -> None:
    """Print your monitors, newest first."""
    with session.client() as client:
        page = client.jobs.list(type="monitoring", limit=limit, cursor=cursor)
    show_list(session, page, "monitor list")


@monitor_group.command("changes")
@click.argument("job_id")
@run_option
@click.option("--verdict", type=click.Choice(["new", "changed", "removed", "error"]))
@limit_option
def changes(session: Session, job_id: str, limit: int, **which: Any) -> None:
    """Print what has changed, newest first: each field before and now, or lines of the text."""
    with session.client() as client:
        found = list(itertools.islice(client.jobs.changes(job_id, **which), limit))
    if session.terminal.as_json:
        session.terminal.json({"changes": found})
        return
    for n, change in enumerate(found):
        if n:
            session.terminal.text()
        _show(session, change)


def _show(session: Session, change: Change) -> None:
    when = f"{change.created_at:%Y-%m-%d %H:%M} UTC  " if change.created_at else ""
    session.terminal.whole(f"{when}{change.verdict}  {line(change.url)}")
    for field in change.fields:
        before, now = (_value(field.get(side)) for side in ("previous", "current"))
        session.terminal.text(f"{field.get('pointer')}: {before} → {now}", indent="  ")
    if change.difference:
        session.terminal.text(change.difference.rstrip("\n"), indent="  ")


def _value(side: Any) -> str:
    """Of one side of a change, with its quote where that says more."""
    if not isinstance(side, dict) or side.get("value") is None:
        return "nothing"
    return line(json.dumps(side["value"], ensure_ascii=False))


@monitor_group.command("run")
@click.argument("job_id")
def run_now(session: Session, job_id: str) -> None:
    """Read the pages now, besides the schedule."""
    with session.client() as client:
        started(session, client.jobs.rerun(job_id), hint=f"citegrid monitor changes {job_id}")


@monitor_group.command("remove")
@click.argument("job_id")
@yes_option
def remove(session: Session, job_id: str, yes: bool) -> None:
    """End a monitor and erase what it has; `citegrid jobs cancel` ends it and keeps that."""
    session.confirm(f"End {job_id} and erase all that it has?", yes)
    with session.client() as client:
        client.jobs.delete(job_id)
