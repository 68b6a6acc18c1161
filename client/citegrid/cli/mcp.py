"""`citegrid mcp`: the tools for agent hosts."""

from importlib import import_module
from types import ModuleType
from typing import Any

import click

from citegrid.cli.command import Session, end, reporting
from citegrid.cli.exits import Exit
from citegrid.cli.terminal import Terminal
from citegrid.errors import CitegridError
from citegrid.profiles.credentials import Credentials

NO_KEY = "There is no API key: SERVICE_API_KEY is not set."
LEVELS = click.Choice(["DEBUG", "INFO", "WARNING", "ERROR"], case_sensitive=False)


@click.command("mcp")
@click.option(
    "--transport", type=click.Choice(["stdio", "http"]), default="stdio", show_default=True
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where http listens.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8765,
    show_default=True,
    help="Where http listens.",
)
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A name that callers over http reach it by, besides localhost.",
)
@click.option("--check", is_flag=True, help="Only ask the server once, and say how that went.")
@click.option("--log-level", type=LEVELS, default="WARNING", show_default=True)
@click.option("--profile", metavar="NAME", help="What `login --profile NAME` kept.")
@click.option("--base-url", metavar="URL", help="The server; else SERVICE_BASE_URL.")
@click.option("--allow-insecure", is_flag=True, help="Allow http to other machines.")
def mcp(
    *,
    transport: str,
    check: bool,
    profile: str | None,
    base_url: str | None,
    allow_insecure: bool,
    **options: Any,
) -> None:
    """Serve the search tools to an agent host (Model Context Protocol).

    Over stdio it asks with SERVICE_API_KEY or what `citegrid login` keeps. Over HTTP every caller
    brings a key as `Authorization: Bearer`, and this process uses none of its own.
    """
    session = Session(Terminal(), base_url, allow_insecure, profile)
    with reporting(session.terminal):
        if check:
            _check(session)
        elif transport == "http":
            _serve_http(session, **options)
        else:
            client, problem, held = _own(_serving(), session)
            _serving().serve_stdio(client, problem, options["log_level"].upper(), held)


def _check(session: Session) -> None:
    serving = _serving()
    client, problem, _ = _own(serving, session)
    if wrong := serving.checked(client, problem):
        session.terminal.problem(wrong)
        end(Exit.FAILED)
    else:
        session.terminal.text("ok")


def _serve_http(
    session: Session, *, host: str, port: int, allowed_hosts: tuple[str, ...], log_level: str
) -> None:
    found = session.settings
    _serving().serve_http(
        found.base_url,
        host,
        port,
        allowed_hosts,
        log_level.upper(),
        allow_insecure=found.allow_insecure,
    )


def _serving() -> ModuleType:
    """By name: what it needs is an extra, and slow to load for commands that do not need it."""
    try:
        return import_module("citegrid.mcp.serve")
    except ModuleNotFoundError as error:
        missing = error.name
    raise click.ClickException(f"This needs: pip install 'citegrid[mcp]' ({missing} is missing).")


def _own(serving: ModuleType, session: Session) -> tuple[Any, str, Credentials]:
    """The client to ask with, or None and why not: hosts show an answer, but no failed start."""
    try:
        found = session.settings
        if found.came_from == "nowhere":
            return None, NO_KEY, found.credentials
        client = serving.client(found.base_url, found.credentials, found.allow_insecure)
    except CitegridError as error:
        return None, str(error), Credentials()
    return client, "", found.credentials
