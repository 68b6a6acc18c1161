"""The operator's commands for queues and workers: the same functions as the operations page."""

import dataclasses
import json
import socket
import time
from typing import Any

import click

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.jobs.operations import worker_store, workers
from app.domains.queue.jobs.operations.queues import queues
from app.domains.queue.jobs.operations.worker_store import Worker
from app.local.commands.operator_command import json_option, operating, whoever_types

LOOK_SECONDS = 0.5


@click.group("queues")
def queues_group() -> None:
    """Show, pause and resume queues."""


@queues_group.command("list")
@json_option
@operating
@click.pass_obj
def list_queues(settings: Settings, as_json: bool) -> None:
    """List queues with state, waiting jobs and estimated time to empty."""
    with db.reading() as reader:
        rows = queues.overview(reader, settings.queue_target_seconds)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(row) for row in rows], default=str))
        return
    click.echo(
        f"{'queue':<14} {'state':<8} {'waiting':>8} {'oldest':>12} {'running':>8} {'workers':>8}"
        f" {'rate':>8}  drains in"
    )
    for row in rows:
        click.echo(
            f"{row.name:<14} {row.state:<8} {row.waiting:>8} {_age(row):>12} {row.running:>8}"
            f" {row.workers:>8} {row.per_second:>6.1f}/s  {_drains(row)}"
        )
    click.echo(queues.headline(rows), err=True)


def _age(row: queues.Queue) -> str:
    return queues.brief(row.oldest_seconds) if row.waiting else "-"


def _drains(row: queues.Queue) -> str:
    if row.paused_at is not None:
        return f"paused by {row.paused_by} since {row.paused_at:%Y-%m-%d %H:%M} UTC"
    if not row.waiting:
        return "-"
    return "never" if row.drains_in_seconds is None else queues.brief(row.drains_in_seconds)


@queues_group.command("pause")
@click.argument("name")
@operating
def pause_queue(name: str) -> None:
    """Pause a queue. Running jobs continue."""
    with db.transaction() as tx:
        queues.pause(tx, name, whoever_types())
    click.echo(f"{name}: paused. To resume: citegrid-server queues resume {name}")


@queues_group.command("resume")
@click.argument("name")
@operating
def resume_queue(name: str) -> None:
    """Resume a paused queue."""
    with db.transaction() as tx:
        queues.resume(tx, name)
    click.echo(f"{name}: resumed.")


@click.group("workers")
def workers_group() -> None:
    """Show, drain and remove workers."""


@workers_group.command("list")
@json_option
@operating
def list_workers(as_json: bool) -> None:
    """List workers and their load."""
    with db.reading() as reader:
        rows = worker_store.every(reader)
    if as_json:
        click.echo(json.dumps([_worker(row) for row in rows], default=str))
        return
    for row in rows:
        click.echo(
            f"{row.id:<24} {workers.status_of(row):<9} {row.busy}/{row.places} busy"
            f"  {queues.brief(row.silent_seconds)} ago  {row.version}  {','.join(row.queues)}"
        )
    if not rows:
        click.echo("No workers yet.", err=True)


def _worker(row: Worker) -> dict[str, Any]:
    return {**dataclasses.asdict(row), "status": workers.status_of(row)}


@workers_group.command("drain")
@click.argument("worker_id", required=False)
@click.option(
    "--here", is_flag=True, help="Drain the workers on this machine or in this container."
)
@click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(0),
    default=0.0,
    metavar="SECONDS",
    help="Wait until they have no jobs, at most this long.",
)
@operating
def drain_worker(worker_id: str | None, *, here: bool, wait_seconds: float) -> None:
    """Drain a worker: finish its jobs and take no new ones. You can then stop it."""
    if here == bool(worker_id):
        raise click.UsageError("Name a worker or use --here.")
    ids = _living_here() if here else [str(worker_id)]
    for id in ids:
        with db.transaction() as tx:
            workers.drain(tx, id)
        click.echo(f"{id}: draining. Check `citegrid-server workers list`.")
    if wait_seconds:
        _wait_until_drained(ids, wait_seconds)


def _living_here() -> list[str]:
    prefix = f"{socket.gethostname()}:"
    with db.reading() as reader:
        rows = worker_store.every(reader)
    return [row.id for row in rows if row.id.startswith(prefix) and _lives(row)]


def _lives(row: Worker) -> bool:
    return workers.status_of(row) not in ("silent", "gone")


def _wait_until_drained(ids: list[str], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while busy := _not_drained(ids):
        if time.monotonic() > deadline:
            click.echo(f"Still busy after {seconds:g} s: {', '.join(busy)}.", err=True)
            return
        time.sleep(LOOK_SECONDS)


def _not_drained(ids: list[str]) -> list[str]:
    with db.reading() as reader:
        rows = worker_store.every(reader)
    return [
        row.id
        for row in rows
        if row.id in ids and _lives(row) and workers.status_of(row) != "drained"
    ]


@workers_group.command("forget")
@click.argument("worker_id")
@operating
def forget_worker(worker_id: str) -> None:
    """Remove a worker that has been gone for five minutes."""
    with db.transaction() as tx:
        workers.forget(tx, worker_id)
    click.echo(f"{worker_id}: removed.")
