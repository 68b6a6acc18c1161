"""The operator's commands for money: granting credit, reading balances, auditing the books."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import click

from app.core import db, ids
from app.core.amounts import amount as read_amount
from app.core.amounts import text
from app.domains.account.accounts import service as accounts
from app.domains.money.ledger import audit, audit_store, store
from app.domains.money.ledger import service as ledger
from app.local.commands.search import operating

MOST_LISTED = 1_000


class _Amount(click.ParamType[Decimal]):
    name = "amount"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> Decimal:
        try:
            read = read_amount(str(value))
        except ValueError:
            read = Decimal(0)
        return read or self.fail("takes a positive number with up to 9 decimals", param, context)


@click.group("credits")
def credits_group() -> None:
    """Credit of accounts."""


@credits_group.command("grant")
@click.argument("email")
@click.argument("amount", type=_Amount())
@click.option("--token", help="Default: CREDIT_TOKEN.")
@click.option("--id", "grant_id", type=click.UUID, help="Of a grant to repeat: it counts once.")
@operating
def grant(
    settings: Any, email: str, amount: Decimal, token: str | None, grant_id: UUID | None
) -> None:
    """Give an account credit. If this command is cut off, repeat it with the --id it printed."""
    id = grant_id or ids.new()
    click.echo(f"--id {id}", err=True)
    token = token or settings.credit_token
    try:
        with db.transaction() as tx:
            account = accounts.by_email(tx, email)
            granted = ledger.grant(tx, id, account.id, token, amount)
    except ledger.KeyReused:
        raise click.ClickException("This --id is one of another grant.") from None
    state = "granted" if granted else "had been granted before"
    click.echo(f"{account.email}: {text(amount)} {token} {state}.")


@credits_group.command("list")
@operating
def list_all(_settings: Any) -> None:
    """One line for each balance of credit: amount, token, e-mail."""
    with db.reading() as reader:
        rows = store.credited(reader, MOST_LISTED)
    for row in rows:
        click.echo(f"{text(row.amount):>24}  {row.token:<6}  {row.email}")


@credits_group.command("show")
@click.argument("email")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True)
@operating
def show(_settings: Any, email: str, limit: int) -> None:
    """All balances of an account, and what moved them, newest first."""
    with db.transaction() as tx:
        account = accounts.by_email(tx, email)
        balances = store.balances(tx, account.id)
        entries = store.entries(tx, [account.id], None, limit)
    for balance in balances:
        click.echo(f"{text(balance.amount):>24}  {balance.token:<6}  {balance.kind}")
    for entry in entries:
        at, moved = f"{entry.posted_at:%Y-%m-%d %H:%M:%S}", f"{text(entry.amount)} {entry.token}"
        click.echo(f"{at}  {moved:>24}  {entry.kind:<9}  {entry.why}  {entry.key}")


@click.group("ledger")
def ledger_group() -> None:
    """The books."""


@ledger_group.command("audit")
@operating
def run_audit(_settings: Any) -> None:
    """See whether everything adds up; a broken rule is printed, and the command fails."""
    with db.reading() as reader:
        violated, transfers = audit.broken(reader), audit_store.transfers(reader)
    for rule in audit.rules():
        click.echo(f"{violated.get(rule, 0):>8}  {rule}")
    if violated:
        raise click.ClickException("The books do not add up: docs/explanation/money.md says why.")
    click.echo(f"{transfers} transfer(s) add up.")
