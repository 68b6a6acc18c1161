"""The operator's command that audits the books."""

import click

from app.core import db
from app.domains.money.ledger import audit, audit_store
from app.local.commands.operator_command import operating


@click.group("ledger")
def ledger_group() -> None:
    """Check the ledger."""


@ledger_group.command("audit")
@operating
def run_audit() -> None:
    """Check all ledger rules. Prints each violated rule and fails."""
    with db.reading() as reader:
        violated, transfers = audit.broken(reader), audit_store.transfers(reader)
    for rule in audit.rules():
        click.echo(f"{violated.get(rule, 0):>8}  {rule}")
    if violated:
        raise click.ClickException("The ledger does not balance. See docs/explanation/money.md.")
    click.echo(f"The ledger balances (transfers: {transfers}).")
