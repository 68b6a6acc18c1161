"""Who takes part: accounts with a node each, and the processes of their nodes."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citegrid import Client

from bench.demo_campaign.service import BIN, ROOT, Service

PASSWORD: Final = "correct horse battery staple"


@dataclass(frozen=True)
class Part:
    """One node. `role` is that of a double; None: the node that everybody gets."""

    name: str
    work: tuple[str, ...]
    role: str | None = None
    capacity: int = 2


HONEST: Final = (
    Part("honest-1", ("extraction", "validation")),
    Part("honest-2", ("validation",)),
    Part("honest-3", ("validation",)),
)
LAZY: Final = Part("lazy", ("validation",), "lazy")
COLLUDER: Final = Part("colluder", ("validation",), "colluder", capacity=8)
CONTRIBUTOR: Final = Part("its-partner", ("extraction",), "contributor", capacity=8)
EVERYBODY: Final = (*HONEST, LAZY, COLLUDER, CONTRIBUTOR)


@dataclass
class Player:
    """A part with its account."""

    part: Part
    client: Client
    account_id: str
    node_id: str
    token: str


def signed_in(service: Service, name: str) -> Client:
    """A new account."""
    client = Client(service.url)
    client.accounts.create(f"{name}@example.org", PASSWORD)
    client.sign_in(f"{name}@example.org", PASSWORD)
    return client


def player(service: Service, part: Part) -> Player:
    client = signed_in(service, part.name)
    capabilities = {"work": list(part.work), "capacity": part.capacity}
    made = client.nodes.create(part.name, capabilities)
    return Player(part, client, client.accounts.get().account.id, made.node.id, made.node_token)


@contextmanager
def at_work(service: Service, players: Sequence[Player], home: Path) -> Iterator[None]:
    """Their nodes, a process each, until the block ends. What they say is in `home`."""
    home.mkdir(exist_ok=True)
    (home / "shared").mkdir(exist_ok=True)
    running = [_started(service, each, home) for each in players]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()


def _started(service: Service, player: Player, home: Path) -> "subprocess.Popen[bytes]":
    """Secrets go by the environment: arguments stand in the list of processes."""
    environment = {
        **os.environ,
        "SERVICE_BASE_URL": service.url,
        "CITEGRID_NODE_ID": player.node_id,
        "CITEGRID_NODE_TOKEN": player.token,
        "XDG_CONFIG_HOME": str(home / "none"),
        "PYTHONPATH": str(ROOT),
    }
    with (home / f"{player.part.name}.log").open("wb") as log:
        return subprocess.Popen(
            _command(player.part, home),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=ROOT,
        )


def _command(part: Part, home: Path) -> list[str]:
    if part.role is not None:
        module = "bench.demo_campaign.double"
        return [sys.executable, "-m", module, part.role, str(home / "shared"), str(part.capacity)]
    work = [word for each in part.work for word in ("--work", each)]
    return [str(BIN / "citegrid"), "node", "run", *work, "--capacity", str(part.capacity)]
