"""The common parts of every command: its options, its voice, the client it asks with, and how it
fails.
"""

import functools
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, TypeVar

import click

from citegrid.cli import exits
from citegrid.cli.exits import Exit
from citegrid.cli.terminal import Terminal
from citegrid.client import DEFAULT_POLICY, Client
from citegrid.errors import CitegridError
from citegrid.profiles import settings
from citegrid.transport.exchange import Policy

T = TypeVar("T")


class Session:
    """One run of one command."""

    def __init__(
        self,
        terminal: Terminal,
        base_url: str | None,
        allow_insecure: bool,
        profile: str | None = None,
    ) -> None:
        self.terminal = terminal
        self.base_url, self.allow_insecure = base_url, allow_insecure
        self.profile = profile or settings.chosen_profile()

    @functools.cached_property
    def settings(self) -> settings.Settings:
        """Where to ask and as whom. Raises UnknownProfile, UnreadableProfile, InvalidArgument."""
        return settings.resolve(self.base_url, self.profile, allow_insecure=self.allow_insecure)

    def client(self, policy: Policy = DEFAULT_POLICY) -> Client:
        """For a `with` block. Raises InvalidBaseUrl."""
        return Client(
            self.settings.base_url,
            credentials=self.settings.credentials,
            policy=policy,
            allow_insecure=self.settings.allow_insecure,
        )

    def confirm(self, question: str, yes: bool) -> None:
        """Before something that cannot be undone. Raises click.UsageError without a terminal."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise click.UsageError("This cannot be undone; without a terminal it needs --yes.")
        click.confirm(question, abort=True, err=True)


@contextmanager
def reporting(terminal: Terminal) -> Iterator[None]:
    """Turns what is raised meanwhile into a message and an exit code."""
    try:
        with _interruptible():
            yield
        return
    except CitegridError as error:
        terminal.failed(error)
        code = exits.code_of(error)
    except (KeyboardInterrupt, click.Abort):
        terminal.problem("interrupted", code="interrupted")
        code = Exit.INTERRUPTED
    raise click.exceptions.Exit(code)


@contextmanager
def _interruptible() -> Iterator[None]:
    """The first Ctrl-C is raised, so that a command can say how to go on; a second ends it."""
    before = signal.getsignal(signal.SIGINT)

    def interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
        signal.signal(signal.SIGINT, before)
        raise KeyboardInterrupt

    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    click.option("--quiet", "-q", is_flag=True, help="No progress and no hints."),
    click.option("--no-color", is_flag=True, help="No colour; as does NO_COLOR."),
    click.option("--profile", metavar="NAME", help="What `login --profile NAME` kept."),
    click.option("--base-url", metavar="URL", help="The server; else SERVICE_BASE_URL."),
    click.option("--allow-insecure", is_flag=True, help="Allow http to other machines."),
)


class _Group(click.Group):
    group_class = type  # groups below it are such groups as well

    def command(self, *args: Any, **kwargs: Any) -> Any:
        """As `command` below."""
        decorate = super().command(*args, **kwargs)
        return lambda function: decorate(_with_session(function))


def group(name: str) -> Callable[[Callable[..., None]], _Group]:
    """A command of commands."""
    return click.group(name, cls=_Group)


def command(name: str) -> Callable[[Callable[..., None]], click.Command]:
    """A command with the options that all share; its function gets a Session first."""

    def decorate(function: Callable[..., None]) -> click.Command:
        return click.command(name)(_with_session(function))

    return decorate


def _with_session(function: Callable[..., T]) -> Callable[..., T]:
    @functools.wraps(function)
    def wrapped(
        *,
        as_json: bool,
        quiet: bool,
        no_color: bool,
        profile: str | None,
        base_url: str | None,
        allow_insecure: bool,
        **rest: Any,
    ) -> T:
        terminal = Terminal(as_json=as_json, quiet=quiet, colour=not no_color)
        with reporting(terminal):
            return function(Session(terminal, base_url, allow_insecure, profile), **rest)

    decorated: Callable[..., T] = wrapped
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


limit_option = click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
cursor_option = click.option("--cursor", help="`next_cursor` of the page before.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


def end(code: Exit) -> None:
    """End the command with this code."""
    if code is not Exit.DONE:
        raise click.exceptions.Exit(code)
