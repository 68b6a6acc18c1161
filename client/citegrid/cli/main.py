"""The commands of `citegrid`, each loaded when it is asked for, and how they end."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from citegrid.cli import problems
from citegrid.cli.exits import Exit
from citegrid.version import __version__

COMMANDS: Final[Mapping[str, str]] = {
    "ask": "search.searches.ask",
    "search": "search.searches.search_group",
    "index": "search.index.index",
    "corpora": "search.corpora.corpora_group",
    "extract": "records.extract.extract",
    "jobs": "records.jobs.jobs_group",
    "monitor": "records.monitors.monitor_group",
    "workflow": "records.jobs.workflow_group",
    "verify": "records.verify.verify",
    "campaigns": "campaigns.campaigns.campaigns_group",
    "webhooks": "account.webhooks.webhooks_group",
    "alerts": "account.alerts.alerts_group",
    "memory": "account.memory.memory_group",
    "rewards": "campaigns.rewards.rewards_group",
    "disputes": "campaigns.disputes.disputes_group",
    "payouts": "campaigns.rewards.payouts_group",
    "node": "providers.node_process.node_group",
    "nodes": "providers.nodes.nodes_group",
    "reputation": "campaigns.rewards.reputation",
    "open": "search.citations.open_citation",
    "offer": "providers.offers.offer_group",
    "chat": "providers.chat.chat",
    "models": "providers.chat.models",
    "provider": "providers.providers.provider_group",
    "credits": "account.credits.credits_group",
    "keys": "account.keys.keys_group",
    "login": "account.login.login",
    "logout": "account.login.logout",
    "profiles": "account.login.profiles",
    "status": "status.status",
    "mcp": "mcp.mcp",
    "completion": "completion.completion",
}
"""Where each stands below this package."""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].rpartition(".")
        command: click.Command = getattr(import_module(f"citegrid.cli.{module}"), name)
        return command

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _pipe():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _pipe():
            return super().invoke(ctx)


@contextmanager
def _pipe() -> Iterator[None]:
    """Before click sees it, which ends the process for a pipe that was closed."""
    try:
        yield
        return
    except BrokenPipeError:
        _forget_stdout()
    raise click.exceptions.Exit(Exit.BROKEN_PIPE)


def _forget_stdout() -> None:
    """Points stdout nowhere: its reader has gone, and Python must not complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def commands() -> None:
    """Ask questions and get answers with quotes from their sources.

    Set SERVICE_BASE_URL and SERVICE_API_KEY, or sign in with `citegrid login`, which supports
    several profiles. Set CITEGRID_LOG=debug to log requests.

    Exit codes: 0 success, 1 failure, 2 usage, 3 not found, 4 authentication, 5 payment, 6 no answer
    or failed check, 75 try later, 124 timeout, 130 interrupted, 141 output closed.
    """


def run(arguments: Sequence[str]) -> int:
    """One command; returns its exit code."""
    _prepare_streams()
    try:
        code = _ended(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return Exit.BROKEN_PIPE
    except SystemExit:  # of a library, which has told why: its codes are not ours
        return Exit.FAILED
    except OSError as error:  # of stdout: its disk is full
        _forget_stdout()
        sys.stderr.write(f"citegrid: {error.strerror or error}\n")
        return Exit.FAILED
    return code if isinstance(code, int) else 0


def _prepare_streams() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # as Python has it where the descriptor is closed
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    # A terminal that lacks a letter gets a ?; text that cannot be read is refused when it is sent.
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "replace"),
        (sys.stderr, "replace"),
    ):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)


def _ended(arguments: Sequence[str]) -> Any:
    """Runs a command; returns its result, or the exit code of its failure."""
    try:
        return commands.main(list(arguments), prog_name="citegrid", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        if "--json" in arguments:
            problems.write_json(problems.of_click(error))
        else:
            error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
