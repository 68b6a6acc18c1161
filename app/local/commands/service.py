"""The commands that look after the service: migrate, doctor."""

import sys

import click
import psycopg

from app.core import db
from app.core.config.settings import environment
from app.core.db.migrate import MigrationChanged, migrate, outdated
from app.local.commands.data_folder import data_option
from app.local.doctor import doctor
from app.local.embedded.state import DataFolder, settings
from app.local.terminal import Terminal


@click.command("migrate")
@data_option
@click.option("--yes", is_flag=True, help="Do not ask, even if workers of an older release fail.")
def run_migrate(folder: DataFolder, yes: bool) -> None:
    """Apply pending database migrations."""
    try:
        service = settings(folder)
        owner = service.owner_url
        if not yes and (old := outdated(owner)):
            click.confirm(
                f"These workers still run, and fail once this is applied: {', '.join(old)}. Apply?",
                abort=True,
            )
        applied = migrate(owner, role=service.database_role)
    except MigrationChanged as error:
        raise click.ClickException(str(error)) from None
    except psycopg.Error as error:
        raise click.ClickException(db.summary(error)) from None
    for name in applied:
        click.echo(f"applied {name}")
    if not applied:
        click.echo("No pending migrations.")


@click.command("doctor")
@data_option
def run_doctor(folder: DataFolder) -> None:
    """Check the machine, the settings, the servers and the processes."""
    terminal = _terminal()
    colours = {"ok": "green", "warn": "yellow", "fail": "red"}
    failed = False
    for finding in doctor.examine(folder):
        failed |= finding.verdict == "fail"
        hint = f"  ({finding.hint})" if finding.hint else ""
        verdict = terminal.paint(f"{finding.verdict:<4}", colours[finding.verdict])
        terminal.line(f"{verdict}  {finding.what}{hint}")
    if failed:
        sys.exit(1)


def _terminal() -> Terminal:
    return Terminal(sys.stdout, environment())
