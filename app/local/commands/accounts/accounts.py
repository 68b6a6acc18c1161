"""The operator's commands for the accounts of this server, by name."""

import click

from app.local.command_group import CommandGroup

PLACES = {
    "create": ("accounts.management.create", "Create an account."),
    "list": (
        "accounts.listing.list_all",
        "List accounts with creation time, state, id and e-mail.",
    ),
    "disable": (
        "accounts.management.disable",
        "Block all credentials of an account and cancel its open jobs.",
    ),
    "enable": ("accounts.management.enable", "Enable a disabled account."),
    "export": ("accounts.personal_data.export", "Export the data of an account to a ZIP file."),
    "delete": (
        "accounts.personal_data.delete",
        "Revoke the credentials of an account, cancel its jobs and delete it after a grace period.",
    ),
    "keep": ("accounts.personal_data.keep", "Cancel the deletion of an account."),
    "reset-password": ("accounts.sign_in.reset_password", "Reset a password."),
    "promote": ("accounts.management.promote", "Make an account an operator."),
    "demote": ("accounts.management.demote", "Remove the operator role from an account."),
    "link": (
        "accounts.sign_in.link",
        "Print a one-time sign-in link for a browser on this machine.",
    ),
}


@click.group("accounts", cls=CommandGroup, places=PLACES)
def accounts_group() -> None:
    """Manage accounts."""
