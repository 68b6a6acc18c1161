"""The list of accounts, for the operator."""

from collections.abc import Iterator

import click

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts import store
from app.domains.account.accounts.store import ListedAccount
from app.local.commands.operator_command import operating

_PAGE = 1000


@click.command("list")
@operating
def list_all() -> None:
    """List accounts with creation time, state, id and e-mail."""
    for account in _all():
        role = "  operator" if account.operator else ""
        id = ids.public(Noun.ACCOUNT, account.id)
        since = f"{account.created_at:%Y-%m-%d}"
        click.echo(f"{since}  {_state(account):<8}  {id}  {account.email}{role}")


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
