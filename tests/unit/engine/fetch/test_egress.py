"""Fetching through the operator's proxy, which is told addresses that were judged before."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.engine.fetch import Fetcher, FetchFailed, way_out
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.loopback import PAGE, POLICY, PUBLIC, Wires, always, serving

CONNECTED = b"HTTP/1.1 200 Connection established\r\nVia: proxy\r\n\r\n"


@contextmanager
def proxy(answer: bytes, site_port: int) -> Iterator[tuple[str, list[bytes]]]:
    """One caller's `host:port` and what it is sent; the rest goes to the site."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def once() -> None:
            caller, _ = server.accept()
            with caller, socket.create_connection(("127.0.0.1", site_port)) as site:
                heard.append(caller.recv(4096))
                caller.sendall(answer)
                if request := caller.recv(4096):
                    site.sendall(request)
                while data := site.recv(4096):
                    caller.sendall(data)

        thread = threading.Thread(target=once)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}", heard
        thread.join(PATIENCE_SECONDS)


def test_a_page_comes_through_the_proxy_which_is_told_the_address() -> None:
    with serving(always(b"by proxy")) as site, proxy(CONNECTED, site.port) as (address, heard):
        fetcher = Fetcher(POLICY, resolve=Wires(0).resolve, connect=way_out(address))
        assert fetcher.get(PAGE).body == b"by proxy"
    assert heard[0].startswith(f"CONNECT {PUBLIC}:80 HTTP/1.1\r\n".encode())


def _say(server: socket.socket, answer: bytes) -> None:
    with server.accept()[0] as caller:
        caller.recv(4096)
        caller.sendall(answer)


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 403 Forbidden\r\n\r\n", b"SSH-2.0 200\r\n\r\n", b"x" * 9000]
)
def test_a_proxy_that_does_not_connect_us_is_a_connection_that_failed(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_say, args=(server, answer)).start()
        connect = way_out(f"127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(ConnectionError, match="the proxy"):
            connect("192.0.2.1", 80, PATIENCE_SECONDS)


def test_a_proxy_that_says_nothing_is_waited_for_no_longer_than_a_site() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(TimeoutError):
        way_out(f"127.0.0.1:{server.getsockname()[1]}")("192.0.2.1", 80, 0.05)


def test_a_private_address_is_refused_before_the_proxy_is_asked() -> None:
    wires = Wires(0, dns={"www.example.org": ["10.0.0.1"]})
    with pytest.raises(FetchFailed, match="address_not_allowed"):
        Fetcher(POLICY, resolve=wires.resolve, connect=way_out("127.0.0.1:1")).get(
            "http://www.example.org/"
        )
