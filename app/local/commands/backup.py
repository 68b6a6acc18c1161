"""The operator's commands that back up the database, restore it, and let open work go on."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click
import psycopg

from app.core import db
from app.core.actor import Actor, acting
from app.core.amounts import counted
from app.core.config.settings import BadConfiguration
from app.domains.account.audit.service import record_event
from app.local import backups
from app.local.backup_rehearsal import rehearse
from app.local.backups import NoBackup
from app.local.commands.data_folder import data_option
from app.local.commands.operator_command import whoever_types
from app.local.database import database
from app.local.embedded.state import DataFolder, settings
from app.local.postgres_programs import ProgramFailed


def _reporting(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command its settings; say in one line what failed."""

    @data_option
    @wraps(command)
    def run(folder: DataFolder, **arguments: Any) -> None:
        try:
            with acting(Actor(kind="cli", name=whoever_types())):
                command(settings(folder), **arguments)
        except (NoBackup, ProgramFailed) as error:
            raise click.ClickException(str(error)) from None
        except psycopg.Error as error:
            raise click.ClickException(db.summary(error)) from None

    return run


@click.group("backup")
def backup_group() -> None:
    """Back up the database, and rehearse a restore."""


@backup_group.command("create")
@click.argument("parent", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), help="Number of backups to keep. Default: all.")
@_reporting
def run_create(given: Any, parent: Path, keep: int | None) -> None:
    """Back up the database to a new folder in PARENT. The service can keep running.

    Prints the path of the backup.
    """
    folder = backups.create(given, parent)
    click.echo(folder)
    _record(given, "database.backed_up", folder.name)
    if keep:
        for old in backups.finished(parent)[:-keep]:
            shutil.rmtree(old)
            click.echo(f"deleted {old}", err=True)


def _record(given: Any, action: str, name: str) -> None:
    """By the service's own role: one that may read everything may not write."""
    try:
        with database(given), db.transaction() as tx:
            record_event(tx, action, name)
    except (psycopg.Error, BadConfiguration) as error:
        reason = db.summary(error) if isinstance(error, psycopg.Error) else str(error)
        click.echo(f"Could not write to the audit log: {reason}", err=True)


@backup_group.command("rehearse")
@click.argument("backup", type=click.Path(exists=True, file_okay=False, path_type=Path))
@_reporting
def run_rehearse(given: Any, backup: Path) -> None:
    """Restore a backup into a scratch database, and count its rows.

    BACKUP is a backup, or a folder of backups, of which the newest is taken. The database is made
    on the server of DATABASE_OWNER_URL, whose role must be able to create databases, and is
    deleted afterwards. The service can keep running.
    """
    newest = (backups.finished(backup) or [backup])[-1]
    rehearsal = rehearse(given, newest.absolute())
    for table, number in rehearsal.rows.items():
        click.echo(f"{number:>12,}  {table}")
    rows = counted(sum(rehearsal.rows.values()), "row")
    tables, jobs = counted(len(rehearsal.rows), "table"), counted(rehearsal.open_jobs, "open job")
    seconds = f"{rehearsal.seconds:.1f} s"
    click.echo(f"{newest.name}: {rows} of {tables} and {jobs} came back in {seconds}.")
    _record(given, "database.restore_rehearsed", newest.name)


@click.command("restore")
@click.argument("backup", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--without-key", is_flag=True, help="Restore even if SECRET_KEY differs from the backup."
)
@_reporting
def run_restore(given: Any, backup: Path, without_key: bool) -> None:
    """Restore a backup into the empty database at DATABASE_URL. Run this before any process starts.

    Open jobs continue with the time they had left.
    """
    manifest = backups.restore(given, backup.absolute(), without_key=without_key)
    click.echo(
        f"Restored as of {manifest.taken_at}, made by release {manifest.release};"
        f" {counted(manifest.open_jobs, 'open job')} will continue. Next: citegrid-server migrate"
    )


@click.command("recovered")
@click.argument(
    "moment", metavar="MOMENT", type=click.DateTime(["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z"])
)
@_reporting
def run_recovered(given: Any, moment: datetime) -> None:
    """Continue open jobs after Postgres itself recovered to a point in time.

    MOMENT is that point, such as 2026-11-22T09:00:00Z. Run this once, before any process starts.
    `restore` includes it.
    """
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    passed = datetime.now(UTC) - aware
    if passed.total_seconds() < 0:
        raise click.BadParameter("is in the future", param_hint="MOMENT")
    continued = backups.recovered(given, passed.total_seconds())
    click.echo(f"{counted(continued, 'open job')} will continue.")
