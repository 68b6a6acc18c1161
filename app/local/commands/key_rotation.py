"""The operator's command after SECRET_KEY was replaced: what is stored moves to the new one."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import click

from app.core import db
from app.core.amounts import counted
from app.core.config.settings import Settings
from app.domains.account.accounts import store as accounts
from app.domains.account.accounts.sign_in import peppers
from app.domains.account.accounts.store import ListedAccount
from app.domains.account.audit.service import record_event
from app.domains.money.payments.service import keep_former_tokens
from app.domains.own_data.personal_data.secret_rotation import START, seal_exports_again
from app.domains.own_data.personal_data.service import vault_of
from app.domains.queue.webhooks import secret_rotation
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.domains.search.memories import persona_keys
from app.local.commands.operator_command import operating

_AT_ONCE: Final = 200
_ACCOUNTS_AT_ONCE: Final = 500
_PARTS_AT_ONCE: Final = 4  # of exports: each some hundred kilobytes


@click.command("rotate-keys")
@operating
@click.pass_obj
def rotate_keys(settings: Settings) -> None:
    """Re-encrypt stored secrets with the new SECRET_KEY.

    SECRET_KEY_PREVIOUS is the previous one. The service can keep running, and you can repeat the
    command. Sessions stay signed in.
    """
    if not settings.secret_key_previous:
        raise click.ClickException("Set SECRET_KEY_PREVIOUS to the previous SECRET_KEY.")
    with db.transaction() as tx:
        kept = peppers.keep_former(tx, settings)
    click.echo(
        f"Previous peppers kept: {kept}. API keys, tokens and sessions stay valid.", err=True
    )
    unreadable = _move_webhooks(settings) + _move_exports(settings) + _move_memories(settings)
    _keep_tokens_of_payments(settings)
    if unreadable:
        raise click.ClickException(
            f"Neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens {counted(unreadable, 'secret')}."
        )
    with db.transaction() as tx:
        peppers.moved(tx, settings)
        record_event(tx, "secret_key.rotated")
    click.echo("No stored secret needs SECRET_KEY_PREVIOUS. Remove it in 24 hours.")


def _move_webhooks(settings: Settings) -> int:
    vault = DeliveryTerms.of(settings).vault
    return _move(
        "webhook secret",
        lambda tx, after: secret_rotation.seal_again(tx, vault, after, _AT_ONCE),
        UUID(int=0),
    )


def _move_exports(settings: Settings) -> int:
    vault = vault_of(settings)
    return _move(
        "export part",
        lambda tx, after: seal_exports_again(tx, vault, after, _PARTS_AT_ONCE),
        START,
    )


def _move_memories(settings: Settings) -> int:
    """Seals the keys of personas again, account by account: row security shows no others."""
    vault = persona_keys.vault_of(settings)
    seen = moved = unreadable = 0
    after: UUID | None = None
    while page := _accounts(after):
        for account in page:
            with db.tenant(account.id) as tx:
                done, lost = persona_keys.rotate(tx, vault, account.id)
            moved, unreadable = moved + done, unreadable + lost
        seen, after = seen + len(page), page[-1].id
        keys = counted(moved, "memory key")
        click.echo(f"{counted(seen, 'account')}: {keys} re-encrypted.", err=True)
    return unreadable


def _accounts(after: UUID | None) -> list[ListedAccount]:
    with db.reading() as reader:
        return accounts.page(reader, after, _ACCOUNTS_AT_ONCE)


def _move(noun: str, seal_again: Callable[[db.Tx, Any], Any], after: Any) -> int:
    """Seals again, batch by batch, and returns how many cannot be opened."""
    moved = unreadable = 0
    while after is not None:
        with db.transaction() as tx:
            batch = seal_again(tx, after)
        moved, unreadable = moved + batch.moved, unreadable + batch.unreadable
        after = batch.last
    click.echo(f"{counted(moved, noun)} re-encrypted.", err=True)
    return unreadable


def _keep_tokens_of_payments(settings: Settings) -> None:
    after: UUID | None = UUID(int=0)
    while after is not None:
        with db.transaction() as tx:
            after = keep_former_tokens(tx, settings, after, _AT_ONCE)
