"""gunicorn's own worker behind the nginx of deploy/nginx: slow clients are held up by nginx."""

from collections.abc import Iterator

import pytest

from tests.deploy.installation import Ports
from tests.deploy.nginx import running
from tests.deploy.programs import validator
from tests.ports import free_port
from tests.served import served
from tests.sieges import ATTACKS, PROBES, besiege

pytestmark = [pytest.mark.deploy, pytest.mark.runs]
# While nginx keeps 64 answers of 4 MiB in files a probe waits for them; without it, for a minute.
PATIENCE_SECONDS = 30.0
# More than nginx lets one address have.
SMALL = [name for name, attack in ATTACKS.items() if attack.attackers < 100]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Of nginx, without TLS: its clients are the same, and simpler."""
    program = validator("nginx", "nginx-light")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEB_WORKER", "gthread")
        with served() as server:
            nobody, mcp, metrics, agents = (free_port() for _ in range(4))
            ports = Ports(server.port, nobody, mcp, metrics, agents)
            with running(program, free_port(), free_port(), ports, tls=False) as nginx:
                yield nginx.port


@pytest.mark.parametrize("name", SMALL)
def test_others_are_answered_while_attackers_send(name: str, port: int) -> None:
    assert besiege(port, ATTACKS[name], PATIENCE_SECONDS) == PROBES
