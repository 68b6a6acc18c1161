"""The operator's commands for money: granting credit, reading balances, auditing the books."""

import re
from decimal import Decimal
from typing import Any
from uuid import UUID

import click

from app.core import amounts, db, ids
from app.core.amounts import TOKEN_PATTERN, text
from app.core.config.settings import Settings
from app.domains.account.accounts.service import account_by_email
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger import store
from app.domains.money.ledger.words import words
from app.local.commands.operator_command import operating


class _Amount(click.ParamType[Decimal]):
    name = "amount"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Decimal:
        try:
            read = amounts.amount(str(value))
        except ValueError:
            read = Decimal(0)
        return read or self.fail("must be a positive number with up to 9 decimals", param, context)


def _token(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(TOKEN_PATTERN, value):
        raise click.BadParameter("must be 2 to 16 capital letters and digits, such as USD")
    return value


@click.group("credits")
def credits_group() -> None:
    """Manage the credit of accounts."""


@credits_group.command("grant")
@click.argument("email")
@click.argument("amount", type=_Amount())
@click.option("--token", callback=_token, help="Default: CREDIT_TOKEN.")
@click.option(
    "--id",
    "grant_id",
    type=click.UUID,
    help="Id of a grant. Repeating a grant with its id does not grant it twice.",
)
@operating
@click.pass_obj
def grant(
    settings: Settings, email: str, amount: Decimal, token: str | None, grant_id: UUID | None
) -> None:
    """Grant credit to an account.

    Each grant has an id, which is printed first. If the command is interrupted, repeat it with
    --id and that id: the credit is granted once, however often you repeat it.
    """
    id = grant_id or ids.new()
    token = token or settings.credit_token
    with db.reading() as reader:
        account = account_by_email(reader, email)
    click.echo(
        f"If interrupted, repeat the command with --id {id}. The credit is granted once.", err=True
    )
    try:
        with db.transaction() as tx:
            granted = ledger.grant(tx, id, account.id, token, amount)
    except ledger.KeyReused:
        raise click.ClickException("This --id belongs to another grant.") from None
    state = "granted" if granted else "already granted"
    click.echo(f"{account.email}: {text(amount)} {token} {state}.")


@credits_group.command("list")
@operating
def list_all() -> None:
    """List credit balances with token and e-mail."""
    with db.reading() as reader:
        rows = store.credited(reader)
    if not rows:
        click.echo("No account has credit.", err=True)
    for row in rows:
        click.echo(f"{text(row.amount):>24}  {row.token:<6}  {row.email}")


@credits_group.command("show")
@click.argument("email")
@click.option(
    "--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Row limit."
)
@operating
def show(email: str, limit: int) -> None:
    """Show the balances and transfers of an account, newest first."""
    with db.transaction() as tx:
        account = account_by_email(tx, email)
        balances = store.balances(tx, account.id)
        entries = store.entries(tx, [account.id], None, limit)
    for balance in balances:
        click.echo(f"{text(balance.amount):>24}  {balance.token:<6}  {balance.kind}")
    for entry in entries:
        at, moved = f"{entry.posted_at:%Y-%m-%d %H:%M:%S}", f"{text(entry.amount)} {entry.token}"
        why = words(entry.kind, entry.why, entry.amount)
        click.echo(f"{at}  {moved:>24}  {entry.kind:<9}  {why}  {entry.key}")
