"""Choosing a port."""

import socket

import pytest

from app.local.embedded import up
from tests.ports import free_port


def test_a_free_port_is_taken_as_it_is() -> None:
    port = free_port()
    assert up.free_port("127.0.0.1", port) == port


def test_a_taken_port_gives_way_to_a_later_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert up.free_port("127.0.0.1", port) in range(port + 1, port + up.PORTS_TRIED)


def test_no_free_port_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(up, "PORTS_TRIED", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(up.CannotStart, match=str(port)):
            up.free_port("127.0.0.1", port)
