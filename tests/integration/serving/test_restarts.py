"""A process that systemd hands its socket to is replaced while callers come."""

import http.client
import threading
from collections.abc import Iterator

import pytest

from tests.socket_unit import STAND_IN, SocketUnit, socket_unit

CALLERS = 8
TOOLS = "citegrid mcp --transport http --base-url http://127.0.0.1:1"


@pytest.fixture
def unit() -> Iterator[SocketUnit]:
    with socket_unit() as made:
        yield made


@pytest.mark.parametrize(
    ("command", "path", "expected"), [(STAND_IN, "/healthz", 200), (TOOLS, "/mcp", 401)]
)
def test_callers_who_come_between_two_processes_are_answered_by_the_next(
    unit: SocketUnit, command: str, path: str, expected: int
) -> None:
    statuses: list[int] = []

    def call() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", unit.port, timeout=600)
        connection.request("GET", path)
        statuses.append(connection.getresponse().status)
        connection.close()

    service = unit.service(command)
    service.start(ready=False)
    call()
    service.stop()
    callers = [threading.Thread(target=call) for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    service.start(ready=False)
    for caller in callers:
        caller.join()
    assert statuses == [expected] * (CALLERS + 1), unit.logs
