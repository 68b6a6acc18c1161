"""Work that goes on when nobody waits for it, and the command by which its owner returns to it."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from citegrid.cli.command import Session
from citegrid.cli.exits import Exit, resume
from citegrid.errors import AnswerTimedOut, CitegridError, DeadlineReached, NotFound, StillRunning

timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Maximum wait. The work continues.",
)


@contextmanager
def starting(session: Session, listing: str) -> Iterator[None]:
    """Names the list that shows what was started, where the answer with its id does not come."""
    try:
        yield
    except (KeyboardInterrupt, AnswerTimedOut, DeadlineReached):
        session.terminal.suggest(f"citegrid {listing}", "it may have started; to see it")
        raise


@contextmanager
def keeping(session: Session, command: str) -> Iterator[None]:
    """Names the command that gets a result, where it is there and cannot be fetched or written."""
    try:
        yield
    except (BrokenPipeError, NotFound):  # nobody is there to read it, or nothing to be read
        raise
    except (OSError, KeyboardInterrupt, CitegridError):
        session.terminal.suggest(command, "the records are kept; to get them")
        raise


@contextmanager
def going_on(session: Session, id: str, commands: str = "") -> Iterator[None]:
    """Names the commands to go on with, where the waiting ends before the work does.

    Interrupted or out of time, it raises click.exceptions.Exit.
    """
    commands = commands or resume(id)
    try:
        yield
        return
    except KeyboardInterrupt:
        text = f"{id} continues in the background."
        session.terminal.problem(text, commands, code="interrupted")
        code = Exit.INTERRUPTED
    except StillRunning as running:
        session.terminal.failed(running, commands)
        code = Exit.TIMEOUT
    except NotFound:  # nothing goes on
        raise
    except CitegridError:  # of the waiting
        session.terminal.suggest(commands.partition("\n")[0], "to go on waiting")
        raise
    raise click.exceptions.Exit(code)
