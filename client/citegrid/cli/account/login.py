"""`citegrid login`, `citegrid logout`, `citegrid profiles`: credentials kept on this machine."""

import secrets
import sys
from contextlib import suppress
from dataclasses import replace

import click

from citegrid.cli.command import Session, command
from citegrid.cli.exits import Exit
from citegrid.client import Client
from citegrid.errors import ApiKeyScope, CitegridError, Unauthenticated
from citegrid.profiles import saved, settings
from citegrid.profiles.credentials import Credentials
from citegrid.profiles.saved import DEFAULT, SavedProfile
from citegrid.transport.address import checked


@command("login")
@click.option("--email", help="Sign in with e-mail and password.")
@click.option("--key", "with_key", is_flag=True, help="Save an API key.")
def login(session: Session, email: str | None, with_key: bool) -> None:
    """Sign in and save the session or an API key in a private file.

    Prompts for the secret on a terminal, or reads it from the first line of stdin. Use --profile
    to save several servers or accounts. Scripts can set SERVICE_API_KEY and SERVICE_BASE_URL
    instead.
    """
    if with_key and email:
        raise click.UsageError("Use either --email or --key.")
    name, folder = session.profile or DEFAULT, settings.folder()
    before = _readable(name)
    address = settings.address(session.base_url, session.profile, before)
    insecure = session.allow_insecure or (before is not None and before.allow_insecure)
    url = checked(address, allow_insecure=insecure)
    empty = SavedProfile(url, salt=secrets.token_hex(16), allow_insecure=insecure)
    profile = _with_key(empty) if with_key else _with_password(empty, email)
    path = saved.save(folder, name, profile)
    session.terminal.say(f"Signed in to {url}; saved in {path}")
    if session.profile is None and settings.environment_key(url):
        session.terminal.say("SERVICE_API_KEY is still used where a key is enough.")
        session.terminal.suggest("unset SERVICE_API_KEY", "to use only this login")
    if session.terminal.as_json:
        session.terminal.json({"base_url": url, "profile": name, "stored_in": str(path)})


def _with_key(profile: SavedProfile) -> SavedProfile:
    key = _secret("API key")
    try:
        credentials = Credentials(api_key=key)
    except ValueError:
        raise click.UsageError("Invalid API key format.") from None
    with _client(profile, credentials) as client, suppress(ApiKeyScope):
        client.searches.list(limit=1)  # a key for other things than searches is good, too
    return replace(profile, api_key=key)


def _with_password(profile: SavedProfile, email: str | None) -> SavedProfile:
    if email is None:
        if not sys.stdin.isatty():
            raise click.UsageError("Without a terminal, use --email or --key.")
        email = click.prompt("E-mail", err=True)
    password = _secret("Password")
    with _client(profile, Credentials()) as client:
        tokens = client.tokens.create(str(email), password)
    return replace(profile, access_token=tokens.access_token, refresh_token=tokens.refresh_token)


def _secret(what: str) -> str:
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def _client(profile: SavedProfile, credentials: Credentials) -> Client:
    return Client(profile.base_url, credentials=credentials, allow_insecure=profile.allow_insecure)


@command("logout")
def logout(session: Session) -> None:
    """Sign out of the server and delete the saved login."""
    name, folder = session.profile or DEFAULT, settings.folder()
    profile = _readable(name)
    if profile is None:
        saved.forget(folder, name)
        session.terminal.say("No saved login.")
        return
    if profile.access_token is not None:
        credentials = settings.resolve(profile=name).credentials
        try:
            with _client(profile, credentials) as client:
                client.sign_out()
        except Unauthenticated:
            pass  # it had ended before
        except CitegridError as error:
            saved.forget(folder, name)
            session.terminal.problem(
                f"Deleted the saved login, but could not sign out of the server: {error}",
                code=error.code,
            )
            raise click.exceptions.Exit(Exit.FAILED) from None
    saved.forget(folder, name)
    session.terminal.say(f"Signed out of {profile.base_url}")


def _readable(name: str) -> SavedProfile | None:
    """A profile; None for one that is damaged, too: what follows takes its place."""
    with suppress(saved.UnreadableProfile):
        return saved.load(settings.folder(), name)
    return None


@command("profiles")
def profiles(session: Session) -> None:
    """Print the saved profiles with their servers and credentials."""
    used = session.profile or DEFAULT
    rows = [(name, *_described(name), name == used) for name in saved.names(settings.folder())]
    if session.terminal.as_json:
        fields = ("name", "base_url", "credential", "current")
        session.terminal.json({"profiles": [dict(zip(fields, row, strict=True)) for row in rows]})
        return
    table = [(*facts, "used" if current else "") for *facts, current in rows]
    session.terminal.table(("PROFILE", "SERVER", "CREDENTIAL", ""), table)
    if not rows:
        session.terminal.say("No saved login.")
        session.terminal.suggest("citegrid login")


def _described(name: str) -> tuple[str, str]:
    """The server of a profile and the kind of its credential; nothing of the credential itself."""
    profile = _readable(name)
    if profile is None:
        return "", "unreadable"
    return profile.base_url, "API key" if profile.api_key else "session"
