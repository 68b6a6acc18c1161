"""The operator's commands with which people sign in: a new password, a link."""

import click

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts.service import account_by_email, hash_new_password
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.authentication import DEMO
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.local.commands.operator_command import operating

password_option = click.option(
    "--password",
    prompt=True,
    hide_input=True,
    confirmation_prompt=True,
    help="Default: prompted for.",
)


@click.command("reset-password")
@click.argument("email")
@password_option
@operating
def reset_password(email: str, password: str) -> None:
    """Reset a password. Prompts for the new one. Ends all sessions; API keys keep working.

    Verify the identity of the requester, and ask them to change the password after sign-in.
    """
    with db.reading() as reader:
        account = account_by_email(reader, email)
    if account.id == DEMO:
        raise click.ClickException("The demo account has no password.")
    hashed = hash_new_password(password, account.email)
    with db.transaction() as tx:
        sessions.reset_password(tx, account.id, hashed)
    click.echo(f"Password of account {account.email} changed; all sessions ended.")


@click.command("link")
@click.argument("email")
@operating
@click.pass_obj
def link(settings: Settings, email: str) -> None:
    """Print a one-time sign-in link for a browser on this machine. Expires after a day."""
    with db.transaction() as tx:
        account = account_by_email(tx, email)
        secret = sessions.make_link(tx, Pepper.of(settings), account.id)
    click.echo(f"{settings.service_base_url}/enter/{secret}")
