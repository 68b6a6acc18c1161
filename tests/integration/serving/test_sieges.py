"""Slow clients cannot stop the server. Each of these fails with gunicorn's own `gthread`."""

import threading
from collections.abc import Iterator

import pytest

from tests import servers
from tests.served import HEALTHZ, THREADS, Served, served
from tests.sieges import ATTACKS, HALF_HEAD, PROBES, besiege


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.mark.parametrize("name", ATTACKS)
def test_others_are_answered_while_attackers_send(name: str, server: Served) -> None:
    servers.until(lambda: besiege(server.port, ATTACKS[name]) == PROBES)
    servers.until(lambda: every_thread_answers(server))


def every_thread_answers(server: Served) -> bool:
    """As many requests at once as there are threads, each of which waits for all others."""
    statuses: list[int] = []
    request = b"GET /meet HTTP/1.1\r\nHost: x\r\n\r\n"
    ask = [
        threading.Thread(target=lambda: statuses.append(server.status(request)))
        for _ in range(THREADS)
    ]
    for thread in ask:
        thread.start()
    for thread in ask:
        thread.join()
    return statuses == [200] * THREADS


def test_a_full_process_drops_whoever_waited_longest() -> None:
    with served(worker_connections=50) as server:
        first = server.connect()
        others = []
        try:
            first.sendall(HALF_HEAD)
            for _ in range(60):
                others.append(server.connect())
                others[-1].sendall(HALF_HEAD)
            assert first.recv(1) == b""
            assert server.status(HEALTHZ) == 200
        finally:
            for client in (first, *others):
                client.close()


@pytest.mark.parametrize(
    "sent", [HALF_HEAD, b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"]
)
def test_half_a_request_ends_with_408(sent: bytes, hurried: Served) -> None:
    answer = hurried.exchange(sent)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"request_timeout"' in answer


def test_a_drip_buys_no_time(hurried: Served) -> None:
    with hurried.connect() as client:
        client.sendall(HALF_HEAD)
        client.settimeout(0.1)
        answer: list[bytes] = []

        def drip() -> bool:
            client.send(b"1")
            try:
                answer.append(client.recv(4096))
            except TimeoutError:
                return False
            return True

        servers.until(drip)
    assert answer[0].startswith(b"HTTP/1.1 408 ")


@pytest.fixture(scope="module")
def hurried() -> Iterator[Served]:
    with served("tests.hurried.Hurried") as running:
        yield running
