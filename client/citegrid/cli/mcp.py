"""`citegrid mcp`: the tools for agent hosts."""

from types import ModuleType
from typing import Any

import click

from citegrid.cli.command import Session, end, optional, reporting
from citegrid.cli.exits import Exit
from citegrid.cli.terminal import Terminal
from citegrid.errors import CitegridError
from citegrid.profiles.credentials import Credentials

NO_KEY = "No API key: set SERVICE_API_KEY."
LEVELS = click.Choice(["debug", "info", "warning", "error"], case_sensitive=False)


@click.command("mcp")
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="Connection to the host.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Listening address for http.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8765,
    show_default=True,
    help="Listening port for http.",
)
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Additional host name accepted over http.",
)
@click.option("--check", is_flag=True, help="Test the connection and exit.")
@click.option(
    "--log-level",
    type=LEVELS,
    default="warning",
    show_default=True,
    help="Minimum level of messages on stderr.",
)
@click.option("--profile", metavar="NAME", help="Use the profile saved by `login --profile NAME`.")
@click.option("--base-url", metavar="URL", help="Server address. Default: SERVICE_BASE_URL.")
@click.option("--allow-insecure", is_flag=True, help="Allow plain http to remote servers.")
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

    Over stdio, the tools use SERVICE_API_KEY or the saved login. Over HTTP, each caller sends its
    own key as `Authorization: Bearer`.
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
    return optional("citegrid.mcp.serve", extra="mcp")


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
