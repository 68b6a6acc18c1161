"""Common parts of every command: options, output, the client, and how it fails."""

import functools
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from importlib import import_module
from types import FrameType, ModuleType
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


class Session(ExitStack):
    """One run of one command, which closes what it has opened at its end."""

    def __init__(
        self,
        terminal: Terminal,
        base_url: str | None,
        allow_insecure: bool,
        profile: str | None = None,
    ) -> None:
        super().__init__()
        self.terminal = terminal
        self.base_url, self.allow_insecure = base_url, allow_insecure
        self.profile = profile or settings.chosen_profile()

    @functools.cached_property
    def settings(self) -> settings.Settings:
        """Server and credential. Raises UnknownProfile, UnreadableProfile, InvalidArgument."""
        return settings.resolve(self.base_url, self.profile, allow_insecure=self.allow_insecure)

    @functools.cached_property
    def client(self) -> Client:
        """The client of the command. Raises InvalidBaseUrl."""
        return self.connect()

    def connect(self, policy: Policy = DEFAULT_POLICY) -> Client:
        """A client with a policy of its own. Raises InvalidBaseUrl."""
        client = Client(
            self.settings.base_url,
            credentials=self.settings.credentials,
            policy=policy,
            allow_insecure=self.settings.allow_insecure,
        )
        return self.enter_context(client)

    def confirm(self, question: str, yes: bool) -> None:
        """Before something that cannot be undone. Raises click.UsageError without a terminal."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise click.UsageError(f"{question} Use --yes to confirm without a terminal.")
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
    except BrokenPipeError:
        raise  # it ends with a code of its own
    except OSError as error:  # of a file that is written: no folder, no right, no room
        where = f"{error.filename}: " if error.filename else ""
        terminal.problem(f"{where}{error.strerror or error}")
        code = Exit.FAILED
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
    click.option("--quiet", "-q", is_flag=True, help="Hide progress and hints."),
    click.option("--no-color", is_flag=True, help="Disable colours. NO_COLOR does the same."),
    click.option(
        "--profile", metavar="NAME", help="Use the profile saved by `login --profile NAME`."
    ),
    click.option("--base-url", metavar="URL", help="Server address. Default: SERVICE_BASE_URL."),
    click.option("--allow-insecure", is_flag=True, help="Allow plain http to remote servers."),
)


class _Group(click.Group):
    group_class = type  # groups below it are such groups as well

    def command(self, *args: Any, **kwargs: Any) -> Any:
        """As `command` below."""
        decorate = super().command(*args, **kwargs)
        return lambda function: decorate(_with_session(function))


def group(name: str) -> Callable[[Callable[..., None]], _Group]:
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
        with (
            reporting(terminal),
            Session(terminal, base_url, allow_insecure, profile) as session,
        ):
            return function(session, **rest)

    decorated: Callable[..., T] = wrapped
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


cursor_option = click.option("--cursor", help="`next_cursor` of the previous page.")


def page_options(function: Callable[..., None]) -> Callable[..., None]:
    """The page of a list: how many rows, and from which on."""
    limit = click.IntRange(1, 200)
    limit_option = click.option(
        "--limit", type=limit, default=20, show_default=True, help="Row limit."
    )
    return limit_option(cursor_option(function))


class Moment(click.DateTime):
    """A time with its zone, or a date: the start of that day in UTC, as all times are printed."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"])

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        moment: datetime = super().convert(value, param, ctx)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def overlap_option(most: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The hours in which a credential works beside the one that replaces it, at most `most`."""
    return click.option(
        "--overlap-hours",
        type=click.IntRange(0, most),
        default=24,
        show_default=True,
        help="Hours in which the previous one still works.",
    )


yes_option = click.option("--yes", "-y", is_flag=True, help="Skip the confirmation.")


def end(code: Exit) -> None:
    """End the command with this code."""
    if code is not Exit.DONE:
        raise click.exceptions.Exit(code)


def optional(module: str, *, extra: str) -> ModuleType:
    """The module, by name: what it needs is an extra, and slow to load for other commands.

    Raises click.ClickException, which says how to install the extra.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name
    pip = f"{shlex.quote(sys.executable)} -m pip"
    raise click.ClickException(
        f"{missing} is missing. In the repository of Citegrid: {pip} install './client[{extra}]'"
    )
