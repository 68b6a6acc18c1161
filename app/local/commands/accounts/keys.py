"""The operator's command for API keys."""

import click

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts.key_rules import SCOPES
from app.domains.account.accounts.service import account_by_email, create_key
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.local.commands.operator_command import operating


@click.group("keys")
def keys_group() -> None:
    """Manage API keys."""


@keys_group.command("create")
@click.argument("email")
@click.option("--name", default="operator", show_default=True, help="Name of the key.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=["search"],
    show_default=True,
    help="Scope. Repeatable.",
)
@operating
@click.pass_obj
def run_create(settings: Settings, email: str, name: str, scopes: tuple[str, ...]) -> None:
    """Create an API key for an account and print it once."""
    pepper = Pepper.of(settings)
    with db.transaction() as tx:
        account = account_by_email(tx, email)
        made = create_key(tx, account.id, name, list(scopes), pepper=pepper)
        click.echo("Save this key now. It is not shown again.", err=True)
        click.echo(made.secret)  # before the end: a key that cannot be shown is not made
