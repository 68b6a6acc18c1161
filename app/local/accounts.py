"""The operator's commands for the accounts of this server."""

from collections.abc import Iterator
from typing import Any

import click

from app.core import db
from app.domains.accounts import service as accounts
from app.domains.jobs import service as jobs
from app.local.operating import operating

_PAGE = 1000
_JOBS_PER_STEP = 200


@click.group("accounts")
def accounts_group() -> None:
    """Accounts of this server."""


@accounts_group.command("create")
@click.argument("email")
@click.option("--password", prompt=True, hide_input=True, confirmation_prompt=True)
@operating
def create(_settings: Any, email: str, password: str) -> None:
    """Create an account; the password is asked for."""
    with db.transaction() as tx:
        made = accounts.create_account(tx, email, password)
    click.echo(f"Account {made.email} created.")


@accounts_group.command("list")
@operating
def list_all(_settings: Any) -> None:
    """One line for each account: when it was created, whether it is disabled, its e-mail."""
    for account in _all():
        state = "disabled" if account.disabled_at else "enabled"
        click.echo(f"{account.created_at:%Y-%m-%d}  {state:<8}  {account.email}")


def _all() -> Iterator[accounts.Listed]:
    last = None
    while True:
        with db.reading() as reader:
            page = accounts.page(reader, last, _PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1].id


@accounts_group.command("disable")
@click.argument("email")
@operating
def disable(_settings: Any, email: str) -> None:
    """Refuse every key, token and sign-in of an account, and cancel its unfinished work."""
    account = _set(email, disabled=True)
    cancelled = 0
    while ended := _cancel_some(account):
        cancelled += ended
    click.echo(f"Account {account.email} disabled; {cancelled} unfinished jobs cancelled.")


@accounts_group.command("enable")
@click.argument("email")
@operating
def enable(_settings: Any, email: str) -> None:
    """Accept an account's keys and password again; work that was cancelled stays so."""
    account = _set(email, disabled=False)
    click.echo(f"Account {account.email} enabled.")


def _set(email: str, *, disabled: bool) -> accounts.Account:
    with db.transaction() as tx:
        account = accounts.by_email(tx, email)
        accounts.set_disabled(tx, account.email, disabled)
    return account


def _cancel_some(account: accounts.Account) -> int:
    with db.transaction() as tx:
        return jobs.cancel_all(tx, account.id, _JOBS_PER_STEP)
