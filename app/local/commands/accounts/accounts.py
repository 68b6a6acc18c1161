"""The operator's commands for the accounts of this server, by name."""

import click

from app.local.command_group import CommandGroup

PLACES = {
    "create": "accounts.management.create",
    "list": "accounts.listing.list_all",
    "disable": "accounts.management.disable",
    "enable": "accounts.management.enable",
    "export": "accounts.personal_data.export",
    "delete": "accounts.personal_data.delete",
    "keep": "accounts.personal_data.keep",
    "reset-password": "accounts.sign_in.reset_password",
    "promote": "accounts.management.promote",
    "demote": "accounts.management.demote",
    "link": "accounts.sign_in.link",
}


@click.group("accounts", cls=CommandGroup, places=PLACES)
def accounts_group() -> None:
    """Manage accounts."""
