"""The operator's commands for the accounts of this server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts import service as accounts
from app.domains.account.accounts import store
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.authentication import DEMO
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.accounts.store import Account, ListedAccount
from app.domains.account.audit import service as audit
from app.domains.own_data.personal_data import deletion
from app.domains.own_data.personal_data import service as personal_data
from app.domains.own_data.personal_data.archive import Archive
from app.domains.queue.jobs import service as jobs
from app.local.commands.search import operating

_PAGE = 1000
_JOBS_PER_STEP = 200


@click.group("accounts")
def accounts_group() -> None:
    """Manage accounts."""


@accounts_group.command("create")
@click.argument("email")
@click.option("--password", prompt=True, hide_input=True, confirmation_prompt=True)
@operating
def create(_settings: Any, email: str, password: str) -> None:
    """Create an account. Prompts for a password."""
    with db.transaction() as tx:
        made = accounts.create_account(tx, email, password)
    click.echo(f"Account {made.email} created.")


@accounts_group.command("list")
@operating
def list_all(_settings: Any) -> None:
    """List accounts with creation time, state and e-mail."""
    for account in _all():
        role = "  operator" if account.operator else ""
        click.echo(f"{account.created_at:%Y-%m-%d}  {_state(account):<8}  {account.email}{role}")


def _state(account: ListedAccount) -> str:
    if account.erased_at is not None:
        return "erased"
    if account.erase_at is not None:
        return "leaving"
    return "disabled" if account.disabled_at else "enabled"


def _all() -> Iterator[ListedAccount]:
    last = None
    while True:
        with db.reading() as reader:
            page = store.page(reader, last, _PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1].id


@accounts_group.command("disable")
@click.argument("email")
@operating
def disable(_settings: Any, email: str) -> None:
    """Block all credentials of an account and cancel its open jobs."""
    account = _set(email, disabled=True)
    cancelled = 0
    while ended := _cancel_some(account):
        cancelled += ended
    click.echo(f"Account {account.email} disabled; {cancelled} open jobs cancelled.")


@accounts_group.command("enable")
@click.argument("email")
@operating
def enable(_settings: Any, email: str) -> None:
    """Enable a disabled account. Cancelled jobs stay cancelled."""
    account = _set(email, disabled=False)
    click.echo(f"Account {account.email} enabled.")


@accounts_group.command("export")
@click.argument("email")
@click.argument("file", type=click.Path(dir_okay=False, writable=True, path_type=Path))
@operating
def export(settings: Any, email: str, file: Path) -> None:
    """Export the data of an account to a ZIP file, like the export in its settings."""
    with db.reading() as reader:
        account = accounts.by_email(reader, email)
    if file.exists():
        raise click.ClickException(f"{file} already exists.")
    with file.open("xb") as written:
        archive = Archive(written.write)
        for _name in personal_data.write(archive, settings, account.id):
            pass
        size = archive.finish(personal_data.heading(account.id))
    with db.transaction() as tx:
        audit.record(tx, "account.exported", ids.public(Noun.ACCOUNT, account.id), account.id)
    click.echo(
        f"{file}: {sum(archive.lines.values())} lines in {len(archive.lines)} lists, {size} bytes."
    )


@accounts_group.command("delete")
@click.argument("email")
@click.option(
    "--give-up-balance", is_flag=True, help="Transfer its credit and rewards to the operator."
)
@click.option(
    "--now", is_flag=True, help="Skip the grace period in which the owner can keep the account."
)
@click.confirmation_option(prompt="This deletes all data of the account. Continue?")
@operating
def delete(settings: Any, email: str, give_up_balance: bool, now: bool) -> None:
    """Revoke the credentials of an account, cancel its jobs and delete it after a grace period."""
    days = 0 if now else settings.account_deletion_grace_days
    with db.transaction() as tx:
        account = accounts.by_email(tx, email)
        if account.id == DEMO:
            raise click.ClickException("The demo account cannot be deleted.")
        leaving = deletion.request(
            tx, account.id, grace_seconds=days * 86_400, give_up_balance=give_up_balance
        )
    click.echo(f"Account {account.email} is erased from {leaving.erase_at:%Y-%m-%d %H:%M} UTC on.")


@accounts_group.command("keep")
@click.argument("email")
@operating
def keep(_settings: Any, email: str) -> None:
    """Cancel the deletion of an account. Revoked credentials and cancelled jobs stay so."""
    with db.transaction() as tx:
        account = accounts.by_email(tx, email)
        if not deletion.keep(tx, account.id):
            raise click.ClickException(
                "The account is not scheduled for deletion, or its deletion has started."
            )
    click.echo(f"Deletion of account {account.email} cancelled.")


@accounts_group.command("reset-password")
@click.argument("email")
@click.option("--password", prompt=True, hide_input=True, confirmation_prompt=True)
@operating
def reset_password(_settings: Any, email: str, password: str) -> None:
    """Reset a password. Prompts for the new one. Ends all sessions; API keys keep working.

    Verify the identity of the requester, and ask them to change the password after sign-in.
    """
    with db.reading() as reader:
        account = accounts.by_email(reader, email)
    if account.id == DEMO:
        raise click.ClickException("The demo account has no password.")
    hashed = accounts.hash_new_password(password, account.email)
    with db.transaction() as tx:
        sessions.reset_password(tx, account.id, hashed)
    click.echo(f"Password of account {account.email} changed; all sessions ended.")


@accounts_group.command("promote")
@click.argument("email")
@operating
def promote(_settings: Any, email: str) -> None:
    """Make an account an operator, with access to queues, workers and all jobs."""
    with db.transaction() as tx:
        accounts.set_operator(tx, email, operator=True)
    click.echo(f"Account {email} is now an operator.")


@accounts_group.command("demote")
@click.argument("email")
@operating
def demote(_settings: Any, email: str) -> None:
    """Remove the operator role from an account."""
    with db.transaction() as tx:
        accounts.set_operator(tx, email, operator=False)
    click.echo(f"Account {email} is no longer an operator.")


@accounts_group.command("link")
@click.argument("email")
@operating
def link(settings: Any, email: str) -> None:
    """Print a one-time sign-in link for a browser on this machine. Expires after a day."""
    with db.transaction() as tx:
        account = accounts.by_email(tx, email)
        secret = sessions.make_link(tx, Pepper.of(settings), account.id)
    click.echo(f"{settings.service_base_url}/enter/{secret}")


def _set(email: str, *, disabled: bool) -> Account:
    with db.transaction() as tx:
        account = accounts.by_email(tx, email)
        accounts.set_disabled(tx, account.email, disabled)
    return account


def _cancel_some(account: Account) -> int:
    with db.transaction() as tx:
        return jobs.cancel_all(tx, account.id, _JOBS_PER_STEP)
