"""`citegrid node run` and `citegrid node service`: work for a server on this computer."""

import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

import click

from citegrid.cli.command import Session, group, optional
from citegrid.profiles import settings
from citegrid.transport import address

WORK: Final = ("extraction", "validation", "chat")
_RATE: Final = r"^(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?$"

_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    click.option(
        "--name", default="node", show_default=True, help="Name of the node on this computer."
    ),
    click.option(
        "--work",
        multiple=True,
        type=click.Choice(WORK),
        help="Kind of work. Repeatable. Default: extraction and validation; with rates also chat.",
    ),
    click.option(
        "--capacity",
        type=click.IntRange(1, 64),
        default=4,
        show_default=True,
        help="Number of parallel work items.",
    ),
    click.option("--backend", metavar="URL", help="Address of an OpenAI-compatible server."),
    click.option(
        "--model", "models", multiple=True, metavar="NAME", help="Model name. Repeatable."
    ),
    click.option("--revision", default="1", show_default=True, help="Revision of the models."),
    click.option("--input-rate", metavar="USD", help="Chat price per million input tokens."),
    click.option("--output-rate", metavar="USD", help="Chat price per million output tokens."),
    click.option(
        "--max-context",
        type=click.IntRange(1),
        default=8192,
        show_default=True,
        help="Maximum tokens of a chat and its answer.",
    ),
    click.option("--precision", metavar="NAME", help="Number format of the models, such as fp8."),
    click.option(
        "--auto-eligible", is_flag=True, help="Also accept chats without a selected offer."
    ),
)


def _with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@group("node")
def node_group() -> None:
    """Preview: run a node on this computer."""


@node_group.command("run")
@_with_options
@click.option("--worker", is_flag=True, hidden=True)
def run(session: Session, name: str, worker: bool, **options: Any) -> None:
    """Run a node. It needs outgoing connections only.

    The first start registers the node with your login or API key (scope nodes) and saves its
    token in a private file. Alternatively, set CITEGRID_NODE_ID and CITEGRID_NODE_TOKEN.
    With --backend, a local model helps to extract and validate records; with rates it also
    serves chats. You could read the prompts and answers of those chats. If the backend needs a
    key, set CITEGRID_BACKEND_KEY.

    Ctrl-C finishes open work and stops. A second Ctrl-C stops immediately.
    """
    program = optional("citegrid.node.program", extra="node")
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
        raise click.UsageError("Chats require --backend, --model, --input-rate and --output-rate.")
    if options["backend"] and not options["models"]:
        raise click.UsageError("--backend requires --model.")
    for rate in filter(None, rates):
        if not re.fullmatch(_RATE, rate):
            raise click.UsageError("Rates must be numbers, such as 0.25.")
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
    identity = program.registered(session.client, name, url, setup)
    session.terminal.say(f"Registered {identity.node_id}; saved in {program.file_of(name)}")
    return identity


@click.command("service", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def service(arguments: tuple[str, ...]) -> None:
    """Print a systemd unit for the node. ARGUMENTS are passed to `node run`."""
    command = [sys.executable, "-m", "citegrid", "node", "run", *arguments]
    sys.stdout.write(optional("citegrid.node.program", extra="node").unit(command))


node_group.add_command(service)
