"""`citegrid login`, `citegrid logout`: credentials kept on this machine."""

import secrets
import sys

import click

from citegrid.cli import settings
from citegrid.cli.command import Session, common
from citegrid.cli.exits import Exit
from citegrid.client import Client
from citegrid.errors import ApiError, ApiKeyScope, ConnectionFailed, Unauthenticated


@click.command("login")
@common
@click.option("--email", help="Sign in with this account; its password is asked for.")
@click.option("--key", "with_key", is_flag=True, help="Keep an API key; it is asked for.")
def login(session: Session, email: str | None, with_key: bool) -> None:
    """Sign in and keep the session, or an API key, in a file only you can read.

    The secret is asked for on a terminal, else read from the first line of stdin. Scripts may as
    well set SERVICE_API_KEY and SERVICE_BASE_URL.
    """
    if with_key and email:
        raise click.UsageError("Give --email or --key, not both.")
    found = session.settings
    url = settings.checked_url(found.base_url, found.allow_insecure)
    stored = settings.Stored(url, salt=secrets.token_hex(16), allow_insecure=found.allow_insecure)
    kept = _with_key(stored) if with_key else _with_password(stored, email)
    path = settings.save(kept)
    session.terminal.say(f"Signed in to {url}; kept in {path}")
    if session.terminal.as_json:
        session.terminal.json({"base_url": url, "stored_in": str(path)})


def _with_key(stored: settings.Stored) -> settings.Stored:
    key = _secret("API key")
    try:
        with _client(stored, api_key=key) as client:
            client.searches.list(limit=1)
    except ApiKeyScope:
        pass  # a good key, for other things than searches
    except ValueError:
        raise click.UsageError("This does not look like a key.") from None
    return _replaced(stored, api_key=key)


def _with_password(stored: settings.Stored, email: str | None) -> settings.Stored:
    if email is None:
        if not sys.stdin.isatty():
            raise click.UsageError("Without a terminal, give --email or --key.")
        email = click.prompt("E-mail", err=True)
    password = _secret("Password")
    with _client(stored) as client:
        tokens = client.tokens.create(str(email), password)
    return _replaced(stored, access_token=tokens.access_token, refresh_token=tokens.refresh_token)


def _secret(what: str) -> str:
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def _client(stored: settings.Stored, api_key: str | None = None) -> Client:
    return Client(stored.base_url, api_key, allow_insecure=stored.allow_insecure)


def _replaced(
    stored: settings.Stored,
    api_key: str | None = None,
    access_token: str | None = None,
    refresh_token: str | None = None,
) -> settings.Stored:
    return settings.Stored(
        stored.base_url, api_key, access_token, refresh_token, stored.salt, stored.allow_insecure
    )


@click.command("logout")
@common
def logout(session: Session) -> None:
    """End the kept session on the server, and forget it here."""
    stored = _kept()
    if stored is None:
        session.terminal.say("Nothing is kept here.")
        return
    if stored.access_token is not None:
        try:
            with session.client() as client:
                client.sign_out()
        except Unauthenticated:
            pass  # it had ended before
        except (ApiError, ConnectionFailed) as error:
            settings.forget()
            session.terminal.problem(f"Forgotten here, but not ended on the server: {error}")
            raise click.exceptions.Exit(Exit.FAILED) from None
    settings.forget()
    session.terminal.say(f"Signed out of {stored.base_url}")


def _kept() -> settings.Stored | None:
    try:
        return settings.load()
    except settings.UnreadableSettings:
        settings.forget()
        return None
