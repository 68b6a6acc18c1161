"""What every command has: its options, its voice, and the client it asks with."""

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from citegrid.cli import settings
from citegrid.cli.exits import Exit
from citegrid.cli.terminal import Terminal
from citegrid.client import DEFAULT_POLICY, Client
from citegrid.exchange import Policy

T = TypeVar("T")


class Session:
    """One run of one command."""

    def __init__(self, terminal: Terminal, base_url: str | None, allow_insecure: bool) -> None:
        self.terminal = terminal
        self._base_url, self._allow_insecure = base_url, allow_insecure

    @functools.cached_property
    def settings(self) -> settings.Settings:
        """Where to ask and as whom. Raises click.ClickException when what is stored is broken."""
        try:
            return settings.settings(self._base_url, self._allow_insecure)
        except settings.UnreadableSettings as error:
            raise click.ClickException(str(error)) from None
        except ValueError:
            raise click.ClickException("SERVICE_API_KEY does not look like a key.") from None

    def client(self, policy: Policy = DEFAULT_POLICY) -> Client:
        """For a `with` block. Raises InvalidBaseUrl."""
        found = self.settings
        return Client(
            found.base_url,
            credentials=found.credentials,
            policy=policy,
            allow_insecure=found.allow_insecure,
        )

    def confirm(self, question: str, yes: bool) -> None:
        """Before something that cannot be undone. Raises click.UsageError without a terminal."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise click.UsageError("This cannot be undone; without a terminal it needs --yes.")
        click.confirm(question, abort=True, err=True)


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    click.option("--quiet", "-q", is_flag=True, help="No progress and no hints."),
    click.option("--no-color", is_flag=True, help="No colour; as does NO_COLOR."),
    click.option("--base-url", metavar="URL", help="The server; else SERVICE_BASE_URL."),
    click.option("--allow-insecure", is_flag=True, help="Allow http to other machines."),
)


def common(function: Callable[..., T]) -> Callable[..., T]:
    """Adds the options that all commands share; the function gets a Session first."""

    @functools.wraps(function)
    def wrapped(
        *,
        as_json: bool,
        quiet: bool,
        no_color: bool,
        base_url: str | None,
        allow_insecure: bool,
        **rest: Any,
    ) -> T:
        terminal = Terminal(as_json=as_json, quiet=quiet, colour=not no_color)
        return function(Session(terminal, base_url, allow_insecure), **rest)

    decorated: Callable[..., T] = wrapped
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


def end(code: Exit) -> None:
    """End the command with this code."""
    if code is not Exit.DONE:
        raise click.exceptions.Exit(code)
