"""Web processes are restarted ten times each while callers go on, who notice nothing."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import pytest

from app.core.config.settings import Settings
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import servers
from tests.deploy.installation import SEARCH, Installation, Ports
from tests.deploy.nginx import NAME, running
from tests.deploy.programs import validator
from tests.deployed import Deployed, deployed
from tests.ports import free_port
from tests.socket_unit import socket_unit
from tests.steady import SteadyRequest, SteadyRequests

RESTARTS = 10
BETWEEN = 20
"""Requests that are answered between two restarts."""
MANY = "100000/minute"
TO_STAND_IN = (SteadyRequest("GET", "/healthz"), SteadyRequest("POST", "/echo", body=b"steady"))

pytestmark = [pytest.mark.deploy, pytest.mark.runs, pytest.mark.timeout(3600)]


@pytest.fixture
def settings(postgres: Postgres, redis_server: Redis) -> Iterator[Settings]:
    with servers.database(postgres) as url:
        yield Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)


def _go_on(steady: SteadyRequests) -> None:
    enough = steady.answered + BETWEEN
    servers.until(lambda: steady.answered >= enough)


def test_two_web_processes_behind_nginx_are_restarted_without_a_failed_request(
    settings: Settings,
) -> None:
    program = validator("nginx", "nginx-light")
    options = {
        "service_base_url": f"https://{NAME}",
        "trusted_proxies": 1,
        "rate_limit_write": MANY,
        "rate_limit_anonymous": MANY,
    }
    with ExitStack() as stack:
        both = [stack.enter_context(deployed(settings, "web", **options)) for _ in range(2)]
        web = [int(one.address.rpartition(":")[2]) for one in both]
        ports, plain = Ports(web[0], *(free_port() for _ in range(4))), free_port()
        proxy = stack.enter_context(
            running(program, plain, free_port(), ports, tls=False, further_web=web[1])
        )
        key = Installation(settings, ports).key()
        headers = {"Host": NAME, "X-API-Key": key, "Content-Type": "application/json"}
        requests = (
            SteadyRequest("GET", "/healthz", headers),
            SteadyRequest("POST", SEARCH, headers, b"{}"),  # 400: no queue fills
        )
        with SteadyRequests(f"127.0.0.1:{plain}", requests) as steady:
            for one in both * RESTARTS:
                _go_on(steady)
                _restart(one)
            _go_on(steady)
        assert steady.failed == {}, proxy.log


def _restart(one: Deployed) -> None:
    """SIGTERM, the end, and another that is ready: as `systemctl restart` does."""
    program = one.programs["web"]
    program.ask_to_end()
    servers.until(lambda: not program.running)
    program.start()
    servers.until(partial(_is_ready, one))


def _is_ready(one: Deployed) -> bool:
    try:
        return one.ask("GET", "/healthz", {"Host": NAME}).status == 200
    except OSError:
        return False


def test_one_process_with_a_socket_unit_is_restarted_without_a_failed_request() -> None:
    with socket_unit() as unit:
        service = unit.service()
        service.start()
        with SteadyRequests(f"127.0.0.1:{unit.port}", TO_STAND_IN) as steady:
            for _ in range(RESTARTS):
                _go_on(steady)
                service.restart()
            _go_on(steady)
        assert steady.failed == {}, unit.logs


def test_of_two_processes_on_one_socket_one_answers_while_the_other_restarts() -> None:
    with socket_unit() as unit, SteadyRequests(f"127.0.0.1:{unit.port}", TO_STAND_IN) as steady:
        one, other = unit.service(), unit.service()
        one.start()
        for stopped, going in ((other, one), (one, other)):
            stopped.start()
            assert going.stop() == 0, unit.logs
            _go_on(steady)  # with nobody else there
        assert steady.failed == {}, unit.logs
