"""The command that applies migrations."""

import click
import psycopg

from app.core import db
from app.core.db.migrate import MigrationChanged, migrate, outdated
from app.local.commands.data_folder import data_option
from app.local.embedded.state import DataFolder, settings


@click.command("migrate")
@data_option
@click.option(
    "--yes",
    is_flag=True,
    help="Skip the confirmation, even if workers of an older release would fail.",
)
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
