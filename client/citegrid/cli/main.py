"""`citegrid`: the commands, and how each way to end becomes an exit code."""

import os
import sys
from typing import Any

import click

from citegrid.cli import (
    completion,
    exits,
    keys,
    login,
    mcp,
    offers,
    opening,
    providers,
    searching,
    status,
)
from citegrid.cli.exits import Exit
from citegrid.cli.terminal import Terminal
from citegrid.errors import CitegridError


class Commands(click.Group):
    """Turns what a command raises into a message on stderr and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except CitegridError as error:
            Terminal().problem(str(error), exits.hint(error))
            code = exits.code_of(error)
        except (KeyboardInterrupt, click.Abort):
            Terminal().problem("interrupted")
            code = Exit.INTERRUPTED
        except BrokenPipeError:
            _forget_stdout()
            code = Exit.BROKEN_PIPE
        raise click.exceptions.Exit(code)


def _forget_stdout() -> None:
    """Whoever read has gone; Python must not complain about that when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@click.group(cls=Commands)
@click.version_option(package_name="citegrid", message="%(prog)s %(version)s")
def commands() -> None:
    """Ask, and get an answer in which every statement opens at the passage it came from.

    The server is SERVICE_BASE_URL, the key SERVICE_API_KEY, or what `citegrid login` keeps.

    Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 authentication, 5 payment, 6 not answered
    or not verified, 75 try later, 124 timeout, 130 interrupted.
    """


for _command in (
    searching.ask,
    searching.search_group,
    opening.open_citation,
    offers.offer_group,
    providers.provider_group,
    keys.keys_group,
    login.login,
    login.logout,
    status.status,
    mcp.mcp,
    completion.completion,
):
    commands.add_command(_command)


def main() -> None:
    """The entry point of the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter gets a ?
    try:
        code = commands.main(prog_name="citegrid", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(Exit.INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)
