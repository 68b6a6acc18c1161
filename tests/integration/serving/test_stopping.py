"""A server that is asked to end answers what it has begun, and waits for nobody else."""

import threading
from collections.abc import Iterator

import pytest

from tests import pace, servers
from tests.served import HEALTHZ, Served, received, served, status
from tests.sieges import HALF_HEAD

POLLS = 4
LONGEST_SECONDS = 20  # less than the grace


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as running:
        yield running


def test_requests_in_flight_are_answered(server: Served) -> None:
    statuses: list[int] = []
    begun = threading.Barrier(POLLS + 1)

    def poll() -> None:
        with server.connect() as client:
            client.sendall(b"GET /wait?seconds=2 HTTP/1.1\r\nHost: x\r\n\r\n")
            begun.wait()
            statuses.append(int(received(client, 1).split()[1]))

    polls = [threading.Thread(target=poll) for _ in range(POLLS)]
    for thread in polls:
        thread.start()
    begun.wait()
    assert server.status(HEALTHZ) == 200  # those before it were read
    server.program.ask_to_end()
    for thread in polls:
        thread.join()
    assert statuses == [200] * POLLS
    ends_in_time(server)


def ends_in_time(server: Served) -> None:
    began = pace.seconds()
    servers.until(lambda: not server.program.running)
    assert pace.seconds() - began < LONGEST_SECONDS


def test_half_a_request_is_not_waited_for(server: Served) -> None:
    with server.connect() as half, server.connect() as idle:
        half.sendall(HALF_HEAD)
        idle.sendall(HEALTHZ)
        assert received(idle, 1)
        server.program.ask_to_end()
        ends_in_time(server)


def test_new_connections_are_refused_while_a_process_answers_what_it_has_begun() -> None:
    with served(workers=2) as running, running.connect() as client:
        client.sendall(b"GET /wait?seconds=5 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert running.status(HEALTHZ) == 200
        running.program.ask_to_end()
        servers.until(lambda: _is_refused(running))
        assert running.program.running
        assert status(received(client, 1)) == 200


def _is_refused(running: Served) -> bool:
    try:
        running.connect().close()
    except ConnectionRefusedError:
        return True
    return False
