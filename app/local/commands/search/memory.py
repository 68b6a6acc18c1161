"""The operator's commands for personas' memory. None of them shows any of it."""

from uuid import UUID

import click

from app.core import db
from app.core.amounts import counted
from app.core.config.settings import Settings
from app.domains.account.accounts import store
from app.domains.account.accounts.store import ListedAccount
from app.domains.account.audit.service import record_event
from app.domains.search.memories import persona_keys
from app.local.commands.operator_command import operating

ACCOUNTS_AT_ONCE = 500


@click.group("memory")
def memory_group() -> None:
    """Manage the encryption keys of memories."""


@memory_group.command("rotate-keys")
@operating
@click.pass_obj
def rotate_keys(settings: Settings) -> None:
    """Re-encrypt the keys of all personas with the new SECRET_KEY.

    SECRET_KEY_PREVIOUS is the previous one. Memories do not change. The service can keep running,
    and you can repeat the command.
    """
    unreadable = seal_again(settings)
    with db.transaction() as tx:
        record_event(tx, "memory_keys.rotated", unreadable=unreadable)
    if unreadable:
        raise click.ClickException(
            f"Neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens {counted(unreadable, 'key')};"
            " their memories can only be deleted."
        )


def seal_again(settings: Settings) -> int:
    """Seals the keys again and returns how many neither SECRET_KEY opens."""
    vault = persona_keys.vault_of(settings)
    seen = rotated = unreadable = 0
    after: UUID | None = None
    while page := _page(after):
        for account in page:
            with db.tenant(account.id) as tx:
                done, lost = persona_keys.rotate(tx, vault, account.id)
            rotated, unreadable = rotated + done, unreadable + lost
        seen, after = seen + len(page), page[-1].id
        click.echo(f"{counted(seen, 'account')}, {counted(rotated, 'key')} re-encrypted", err=True)
    click.echo(f"{counted(rotated, 'key')} re-encrypted.")
    return unreadable


def _page(after: UUID | None) -> list[ListedAccount]:
    with db.reading() as reader:
        return store.page(reader, after, ACCOUNTS_AT_ONCE)
