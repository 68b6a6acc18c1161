"""The operator's commands that make accounts, block them and make operators of them."""

import click

from app.core import db
from app.core.amounts import counted
from app.domains.account.accounts.service import (
    account_by_email,
    create_account,
    set_disabled,
    set_operator,
)
from app.domains.account.accounts.store import Account
from app.domains.queue.jobs.service import cancel_all
from app.local.commands.accounts.sign_in import password_option
from app.local.commands.operator_command import operating

_JOBS_PER_STEP = 200


@click.command("create")
@click.argument("email")
@password_option
@operating
def create(email: str, password: str) -> None:
    """Create an account. Prompts for a password."""
    with db.transaction() as tx:
        made = create_account(tx, email, password)
    click.echo(f"Account {made.email} created.")


@click.command("disable")
@click.argument("email")
@operating
def disable(email: str) -> None:
    """Block all credentials of an account and cancel its open jobs."""
    account = _set(email, disabled=True)
    cancelled = 0
    while ended := _cancel_some(account):
        cancelled += ended
    click.echo(f"Account {account.email} disabled; {counted(cancelled, 'open job')} cancelled.")


@click.command("enable")
@click.argument("email")
@operating
def enable(email: str) -> None:
    """Enable a disabled account. Cancelled jobs stay cancelled."""
    account = _set(email, disabled=False)
    click.echo(f"Account {account.email} enabled.")


@click.command("promote")
@click.argument("email")
@operating
def promote(email: str) -> None:
    """Make an account an operator, with access to queues, workers and all jobs."""
    with db.transaction() as tx:
        set_operator(tx, email, operator=True)
    click.echo(f"Account {email} is now an operator.")


@click.command("demote")
@click.argument("email")
@operating
def demote(email: str) -> None:
    """Remove the operator role from an account."""
    with db.transaction() as tx:
        set_operator(tx, email, operator=False)
    click.echo(f"Account {email} is no longer an operator.")


def _set(email: str, *, disabled: bool) -> Account:
    with db.transaction() as tx:
        account = account_by_email(tx, email)
        set_disabled(tx, account.email, disabled)
    return account


def _cancel_some(account: Account) -> int:
    with db.transaction() as tx:
        return cancel_all(tx, account.id, _JOBS_PER_STEP)
