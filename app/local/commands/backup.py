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
from app.core.config.settings import BadConfiguration
from app.domains.account.audit import service as audit
from app.local import backups, questions
from app.local.backups import NoBackup
from app.local.commands.service import data_option
from app.local.embedded.state import DataFolder, settings
from app.local.postgres_programs import ProgramFailed


def _reporting(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command its settings; say in one line what failed."""

    @data_option
    @wraps(command)
    def run(folder: DataFolder, **arguments: Any) -> None:
        try:
            with acting(Actor(kind="cli", name=questions.whoever_types())):
                command(settings(folder), **arguments)
        except (NoBackup, ProgramFailed) as error:
            raise click.ClickException(str(error)) from None
        except psycopg.Error as error:
            raise click.ClickException(db.summary(error)) from None

    return run


@click.command("backup")
@click.argument("parent", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), help="Delete all but so many of the newest.")
@_reporting
def run_backup(given: Any, parent: Path, keep: int | None) -> None:
    """Back up the database into a new folder below PARENT, while the service goes on.

    Its path goes to standard output.
    """
    folder = backups.create(given, parent)
    click.echo(folder)
    _record(given, folder)
    if keep:
        for old in backups.finished(parent)[:-keep]:
            shutil.rmtree(old)
            click.echo(f"deleted {old}", err=True)


def _record(given: Any, folder: Path) -> None:
    """Records the backup by the service's own role: a role that may read everything may not
    write.
    """
    try:
        with questions.database(given), db.transaction() as tx:
            audit.record(tx, "database.backed_up", folder.name)
    except (psycopg.Error, BadConfiguration) as error:
        reason = db.summary(error) if isinstance(error, psycopg.Error) else str(error)
        click.echo(f"The audit log does not know of it: {reason}", err=True)


@click.command("restore")
@click.argument("backup", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--without-key", is_flag=True, help="Even if SECRET_KEY is not that of the backup.")
@_reporting
def run_restore(given: Any, backup: Path, without_key: bool) -> None:
    """Restore BACKUP into the empty database of DATABASE_URL, before any process starts.

    What was open then goes on, with as much time left as it had.
    """
    manifest = backups.restore(given, backup.absolute(), without_key=without_key)
    click.echo(
        f"Restored as of {manifest.taken_at}, made by release {manifest.release};"
        f" {manifest.open_jobs} open jobs go on. Next: citegrid-server migrate"
    )


@click.command("recovered")
@click.argument("moment", type=click.DateTime(["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z"]))
@_reporting
def run_recovered(given: Any, moment: datetime) -> None:
    """Let open jobs go on after Postgres itself has recovered to MOMENT, in UTC.

    `restore` does this by itself. Before any process starts, and once.
    """
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    passed = datetime.now(UTC) - aware
    if passed.total_seconds() < 0:
        raise click.BadParameter("lies in the future", param_hint="MOMENT")
    click.echo(f"{backups.recovered(given, passed.total_seconds())} open jobs go on.")
