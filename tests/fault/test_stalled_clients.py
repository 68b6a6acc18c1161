"""`make run` under siege: 200 stalled connections, and the service is as awake as before."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.config.settings import environment
from app.local.embedded import probe
from app.local.embedded.supervisor import Program
from tests import servers
from tests.ports import free_port
from tests.sieges import ATTACKS, PROBES, besiege

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """What `make run` starts, in a folder of its own."""
    port = free_port()
    with servers.folder() as home:
        foreign = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "GUNICORN_CMD_ARGS")
        given = {name: text for name, text in environment().items() if name not in foreign}
        given["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{given['PATH']}"
        program = Program(
            "run",
            f"citegrid-server up --data {home / 'data'} --port {port}",
            log=home / "run.txt",
            folder=ROOT,
            environment=given,
        )
        program.start()
        try:
            servers.until(lambda: not probe.awaited(f"http://127.0.0.1:{port}"))
            yield port
        finally:
            program.ask_to_end()
            servers.until(lambda: not program.running)


@pytest.mark.parametrize("name", ["silence", "half a head", "half a body", "a body that drips"])
def test_the_service_answers_within_a_second_beside_200_stalled_connections(
    name: str, port: int
) -> None:
    attack = replace(ATTACKS[name], attackers=200)
    servers.until(lambda: besiege(port, attack, 1.0) == PROBES)
