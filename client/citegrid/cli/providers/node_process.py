"""`citegrid node run` and `citegrid node service`: work for a server on this computer."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import click

from citegrid.cli.command import Session, group
from citegrid.profiles import settings
from citegrid.transport import address

WORK: Final = ("extraction", "validation", "chat")
_RATE: Final = r"^(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?$"

_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    click.option("--name", default="node", show_default=True, help="Which node of this computer."),
    click.option(
        "--work",
        multiple=True,
        type=click.Choice(WORK),
        help="What it does; else extraction and validation, and chat with --input-rate.",
    ),
    click.option(
        "--capacity",
        type=click.IntRange(1, 64),
        default=4,
        show_default=True,
        help="How much it does at once.",
    ),
    click.option("--backend", metavar="URL", help="An OpenAI-compatible server to ask."),
    click.option("--model", "models", multiple=True, metavar="NAME", help="A model it serves."),
    click.option("--revision", default="1", show_default=True, help="Of the models."),
    click.option("--input-rate", metavar="USD", help="Price of chats, per million tokens in."),
    click.option("--output-rate", metavar="USD", help="The same, per million tokens out."),
    click.option(
        "--max-context",
        type=click.IntRange(1),
        default=8192,
        show_default=True,
        help="Tokens of a chat and its answer.",
    ),
    click.option(
        "--precision", metavar="NAME", help="How the models' numbers are stored, such as fp8."
    ),
    click.option("--auto-eligible", is_flag=True, help="Also take chats that choose no offer."),
)


def _with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@group("node")
def node_group() -> None:
    """Preview: let this computer do work for the server."""


@node_group.command("run")
@_with_options
@click.option("--worker", is_flag=True, hidden=True)
def run(session: Session, name: str, worker: bool, **options: Any) -> None:
    """Do work for the server until told to stop. It calls out only, so any network will do.

    The first start registers the node with your login or key (scope nodes) and keeps its token
    in a file that only you can read; CITEGRID_NODE_ID and CITEGRID_NODE_TOKEN stand for it.
    With --backend, a model on your side helps to extract and validate, and with rates it serves
    chats: their prompts and answers pass through this computer, whose owner could read them.
    Its key, if it needs one, is CITEGRID_BACKEND_KEY.

    Ctrl-C finishes what is being done and claims nothing new; a second one ends at once.
    """
    program = _program()
    setup = _setup(program, session, options)
    url = address.checked(session.settings.base_url, allow_insecure=session.settings.allow_insecure)
    identity = program.known(name, url) or _registered(program, session, name, url, setup)
    if worker:
        refused = program.work(identity, setup)
        if refused is not None:
            raise refused
        return
    code = program.supervise([sys.executable, "-m", "citegrid", *sys.argv[1:], "--worker"])
    if code:
        raise click.exceptions.Exit(code)


def _setup(program: ModuleType, session: Session, options: dict[str, Any]) -> Any:
    """Returns what the node offers. Raises click.UsageError for what does not fit together."""
    rates = options["input_rate"], options["output_rate"]
    work = options["work"] or WORK[: 3 if all(rates) else 2]
    if "chat" in work and not (all(rates) and options["backend"] and options["models"]):
        raise click.UsageError("Chats need --backend, --model, --input-rate and --output-rate.")
    if options["backend"] and not options["models"]:
        raise click.UsageError("--backend needs --model.")
    for rate in filter(None, rates):
        if not re.fullmatch(_RATE, rate):
            raise click.UsageError("A rate is a number such as 0.25.")
    if options["backend"]:
        address.checked(options["backend"], allow_insecure=session.allow_insecure)
    return program.Setup(
        work=tuple(dict.fromkeys(work)),
        capacity=options["capacity"],
        backend_url=options["backend"],
        backend_key=settings.backend_key(),
        models=options["models"],
        revision=options["revision"],
        rates=rates,
        max_context=options["max_context"],
        precision=options["precision"],
        auto_eligible=options["auto_eligible"],
    )


def _registered(program: ModuleType, session: Session, name: str, url: str, setup: Any) -> Any:
    with session.client() as client:
        identity = program.registered(client, name, url, setup)
    session.terminal.say(f"Registered {identity.node_id}; kept in {program.file_of(name)}")
    return identity


@click.command("service", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def service(arguments: tuple[str, ...]) -> None:
    """Print a systemd unit that keeps the node running; ARGUMENTS are those of `node run`."""
    command = [sys.executable, "-m", "citegrid", "node", "run", *arguments]
    sys.stdout.write(_program().unit(command))


node_group.add_command(service)


def _program() -> ModuleType:
    """By name: what it needs is an extra, and slow to load for commands that do not need it."""
    try:
        return import_module("citegrid.node.program")
    except ModuleNotFoundError as error:
        missing = error.name
    raise click.ClickException(f"This needs: pip install 'citegrid[node]' ({missing} is missing).")
