"""`citegrid keys`: the account's API keys."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click

from citegrid.cli.command import Session, group, overlap_option, page_options, yes_option
from citegrid.nouns.account.api_keys import ApiKey, NewApiKey

SCOPES = ("search", "jobs", "memory", "campaigns", "nodes", "chat", "corpora")
MOST_DAYS = 3_653


@group("keys")
def keys_group() -> None:
    """Manage your API keys."""


@keys_group.command("list")
@page_options
def list_keys(session: Session, **paging: Any) -> None:
    """Print your keys, newest first, without their secrets."""
    page = session.client.api_keys.list(**paging)
    rows = [
        (key.id, key.name, f"{key.prefix}…{key.last_four}", " ".join(key.scopes), _state(key))
        for key in page
    ]
    session.terminal.page(page, ("ID", "NAME", "KEY", "SCOPES", "STATE"), rows)


def _state(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "active"
    ended = key.expires_at <= datetime.now(UTC)
    return f"{'expired' if ended else 'until'} {key.expires_at:%Y-%m-%d %H:%M} UTC"


@keys_group.command("create")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=["search"],
    show_default=True,
    help="Scope. Repeatable.",
)
@click.option(
    "--days", type=click.IntRange(1, MOST_DAYS), help="Days until expiry. Default: never."
)
@click.option(
    "--corpus", "corpora", multiple=True, help="Limit it to this corpus, by name. Repeatable."
)
def create(
    session: Session, name: str, scopes: Any, days: int | None, corpora: tuple[str, ...]
) -> None:
    """Create a key and print its secret. The secret is shown only once."""
    expires_at = None if days is None else datetime.now(UTC) + timedelta(days=days)
    made = session.client.api_keys.create(
        name, scopes, expires_at=expires_at, corpora=corpora or None
    )
    _made(session, made)


def _made(session: Session, made: NewApiKey) -> None:
    session.terminal.say(
        f"{made.api_key.id} ({made.api_key.name}). Save the secret now; it is not shown again"
    )  # first: stdout may fail
    session.terminal.result(made, made.secret, whole=True)


@keys_group.command("update")
@click.argument("key_id")
@click.option("--name", help="New name.")
@click.option(
    "--scope", "scopes", type=click.Choice(SCOPES), multiple=True, help="New scopes. Repeatable."
)
@click.option("--days", type=click.IntRange(1, MOST_DAYS), help="Days until expiry.")
@click.option("--no-end", is_flag=True, help="Remove the expiry date.")
@click.option("--corpus", "corpora", multiple=True, help="Limit it to this corpus. Repeatable.")
@click.option("--all-corpora", is_flag=True, help="Remove the limit to corpora.")
def update(
    session: Session,
    key_id: str,
    name: str | None,
    scopes: Any,
    days: int | None,
    no_end: bool,
    corpora: tuple[str, ...],
    all_corpora: bool,
) -> None:
    """Change the name, scopes, expiry or corpora of a key."""
    change: dict[str, Any] = {}
    if name is not None:
        change["name"] = name
    if scopes:
        change["scopes"] = scopes
    if days is not None or no_end:
        change["expires_at"] = None if no_end else datetime.now(UTC) + timedelta(days=days or 0)
    if corpora or all_corpora:
        change["corpora"] = None if all_corpora else corpora
    if not change:
        raise click.UsageError("Name at least one change.")
    if (days is not None and no_end) or (corpora and all_corpora):
        raise click.UsageError("--no-end goes without --days, and --all-corpora without --corpus.")
    key = session.client.api_keys.update(key_id, **change)
    session.terminal.result(
        key, f"{key.id} {key.name} {' '.join(key.scopes)} {_state(key)}", whole=True
    )


@keys_group.command("roll")
@click.argument("key_id")
@overlap_option(most=168)
@yes_option
def roll(session: Session, key_id: str, overlap_hours: int, yes: bool) -> None:
    """Replace a key and print the new secret."""
    session.confirm(f"Replace {key_id}? The previous secret expires in {overlap_hours} h.", yes)
    _made(session, session.client.api_keys.roll(key_id, overlap_hours))


@keys_group.command("revoke")
@click.argument("key_id")
@yes_option
def revoke(session: Session, key_id: str, yes: bool) -> None:
    """Permanently revoke a key."""
    session.confirm(f"Revoke {key_id}? Programs that use it lose access.", yes)
    session.client.api_keys.delete(key_id)
    session.terminal.say(f"revoked {key_id}")
    if session.terminal.as_json:
        session.terminal.json({"id": key_id, "revoked": True})
