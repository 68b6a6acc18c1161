"""The operator's commands for personas' memory. None of them shows any of it."""

from uuid import UUID

import click

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts import store
from app.domains.account.accounts.store import ListedAccount
from app.domains.account.audit import service as audit
from app.domains.search.memories import persona_keys
from app.domains.search.memories import service as memories
from app.local.commands.search import operating

ACCOUNTS_AT_ONCE = 500


@click.group("memory")
def memory_group() -> None:
    """Keys of personas' memory."""


@memory_group.command("rotate-keys")
@operating
def rotate_keys(settings: Settings) -> None:
    """Seal the keys of all personas under the new SECRET_KEY; the old one is SECRET_KEY_PREVIOUS.

    Memories themselves are not touched, and the service may run. It may be repeated.
    """
    unreadable = seal_again(settings)
    with db.transaction() as tx:
        audit.record(tx, "memory_keys.rotated", unreadable=unreadable)
    if unreadable:
        raise click.ClickException(
            f"{unreadable} keys open under neither SECRET_KEY nor SECRET_KEY_PREVIOUS;"
            " their memories can only be erased."
        )


def seal_again(settings: Settings) -> int:
    """Seals the keys again and returns how many neither SECRET_KEY opens."""
    vault = persona_keys.vault_of(settings)
    seen = rotated = unreadable = 0
    after: UUID | None = None
    while page := _page(after):
        for account in page:
            with db.tenant(account.id) as tx:
                done, lost = memories.rotate_keys(tx, vault, account.id)
            rotated, unreadable = rotated + done, unreadable + lost
        seen, after = seen + len(page), page[-1].id
        click.echo(f"{seen} accounts, {rotated} keys sealed again", err=True)
    click.echo(f"{rotated} keys were sealed again.")
    return unreadable


def _page(after: UUID | None) -> list[ListedAccount]:
    with db.reading() as reader:
        return store.page(reader, after, ACCOUNTS_AT_ONCE)
