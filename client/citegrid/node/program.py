"""The parts of this package that `citegrid node` needs, behind one door."""

from collections.abc import Sequence

from citegrid.client import Client
from citegrid.errors import CitegridError
from citegrid.node import startup
from citegrid.node.identity import Identity, file_of, keep, known
from citegrid.node.journal import Journal
from citegrid.node.pace import Pace
from citegrid.node.service_unit import unit
from citegrid.node.setup import Setup
from citegrid.node.supervisor import Supervisor

__all__ = [
    "Identity",
    "Setup",
    "file_of",
    "known",
    "registered",
    "supervise",
    "unit",
    "work",
]


def registered(client: Client, name: str, base_url: str, setup: Setup) -> Identity:
    """A new node of the client's account, kept for the next start. Raises OSError."""
    made = client.nodes.create(name, setup.capabilities())
    identity = Identity(base_url, made.node.id, made.node_token)
    try:
        keep(name, identity)
    except OSError:  # or each start would leave a node behind whose token nobody has
        client.nodes.delete(made.node.id)
        raise
    return identity


def work(identity: Identity, setup: Setup) -> CitegridError | None:
    """In the process that works; why the server refused the node, if it did."""
    with Journal() as journal:
        return startup.run(identity, setup, journal)


def supervise(command: Sequence[str]) -> int:
    """In the process that starts it, and starts it again; the exit code."""
    with Journal(live=False) as journal:
        return Supervisor(command, journal, Pace()).run()
