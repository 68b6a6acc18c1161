"""The operator's commands that export an account, delete it, and keep it after all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.accounts.service import account_by_email
from app.domains.account.accounts.sign_in.authentication import DEMO
from app.domains.account.audit.service import record_event
from app.domains.own_data.personal_data import deletion
from app.domains.own_data.personal_data import service as personal_data
from app.domains.own_data.personal_data.archive import Archive
from app.local.commands.operator_command import operating


@click.command("export")
@click.argument("email")
@click.argument("file", type=click.Path(dir_okay=False, writable=True, path_type=Path))
@operating
@click.pass_obj
def export(settings: Settings, email: str, file: Path) -> None:
    """Export the data of an account to a ZIP file, like the export in its settings."""
    with db.reading() as reader:
        account = account_by_email(reader, email)
    if file.exists():
        raise click.ClickException(f"{file} already exists.")
    with _whole(file) as written:
        archive = Archive(written.write)
        for _name in personal_data.write(archive, settings, account.id):
            pass
        size = archive.finish(personal_data.heading(account.id))
    with db.transaction() as tx:
        record_event(tx, "account.exported", ids.public(Noun.ACCOUNT, account.id), account.id)
    click.echo(
        f"{file}: {sum(archive.lines.values())} lines in {len(archive.lines)} lists, {size} bytes."
    )


@contextmanager
def _whole(file: Path) -> Iterator[BinaryIO]:
    """A new file to write; one that was not written to its end is deleted."""
    with file.open("xb") as written:
        try:
            yield written
        except BaseException:
            file.unlink()
            raise


@click.command("delete")
@click.argument("email")
@click.option(
    "--give-up-balance", is_flag=True, help="Transfer its credit and rewards to the operator."
)
@click.option(
    "--now", is_flag=True, help="Skip the grace period in which the owner can keep the account."
)
@click.confirmation_option(prompt="This deletes all data of the account. Continue?")
@operating
@click.pass_obj
def delete(settings: Settings, email: str, give_up_balance: bool, now: bool) -> None:
    """Revoke the credentials of an account, cancel its jobs and delete it after a grace period."""
    days = 0 if now else settings.account_deletion_grace_days
    with db.transaction() as tx:
        account = account_by_email(tx, email)
        if account.id == DEMO:
            raise click.ClickException("The demo account cannot be deleted.")
        leaving = deletion.request(
            tx, account.id, grace_seconds=days * 86_400, give_up_balance=give_up_balance
        )
    click.echo(f"Account {account.email} is erased from {leaving.erase_at:%Y-%m-%d %H:%M} UTC on.")


@click.command("keep")
@click.argument("email")
@operating
def keep(email: str) -> None:
    """Cancel the deletion of an account. Revoked credentials and cancelled jobs stay so."""
    with db.transaction() as tx:
        account = account_by_email(tx, email)
        if not deletion.keep(tx, account.id):
            raise click.ClickException(
                "The account is not scheduled for deletion, or its deletion has started."
            )
    click.echo(f"Deletion of account {account.email} cancelled.")
