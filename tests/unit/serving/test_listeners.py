"""Sockets listen once a process is ready, and no complete connection is lost when they close."""

import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gunicorn.sock
import pytest
from gunicorn.config import Config

from app.serving import listeners
from app.serving.worker import Patient

log = logging.getLogger(__name__)
BACKLOG = 16


@pytest.fixture
def notified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Where systemd would hear that the service is ready."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(tmp_path / "notify"))
        heard.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield heard


@pytest.fixture
def listener(notified: socket.socket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """As gunicorn makes it for our worker class."""
    monkeypatch.setattr(gunicorn.sock, "close_sockets", gunicorn.sock.close_sockets)
    monkeypatch.setattr(gunicorn.sock.BaseSocket, "_is_listening", lambda _socket: False)
    monkeypatch.setattr(listeners, "_notify_socket", None)
    Patient.setup()
    config = Config()
    config.set("bind", "127.0.0.1:0")
    (made,) = gunicorn.sock.create_sockets(config, log)
    yield made
    made.close()


def _connect(listener: Any) -> socket.socket:
    return socket.create_connection(listener.getsockname(), 10)


def test_a_process_that_is_not_ready_refuses_connections(listener: Any) -> None:
    with pytest.raises(ConnectionRefusedError):
        _connect(listener)


def test_a_process_that_is_ready_takes_connections(listener: Any) -> None:
    listeners.open_all([listener], BACKLOG, log)
    _connect(listener).close()


def test_systemd_hears_of_it_when_a_worker_is_ready_and_not_before(
    listener: Any, notified: socket.socket
) -> None:
    assert "NOTIFY_SOCKET" not in os.environ  # where gunicorn would look
    listeners.open_all([listener], BACKLOG, log)
    assert notified.recv(100) == b"READY=1"


def test_connections_that_are_complete_are_taken_before_the_socket_closes(listener: Any) -> None:
    listeners.open_all([listener], BACKLOG, log)
    clients = [_connect(listener) for _ in range(3)]
    accepted = []

    def accept(one: Any) -> bool:
        try:
            accepted.append(one.accept()[0])
        except BlockingIOError:
            return False
        return True

    listeners.close_all([listener], BACKLOG, accept)
    assert len(accepted) == 3
    for each in clients + accepted:
        each.close()


def test_nobody_is_let_in_while_a_socket_closes(listener: Any) -> None:
    listeners.open_all([listener], BACKLOG, log)
    listeners.let_nobody_in(listener)
    with socket.socket() as client:
        client.setblocking(False)
        client.connect_ex(listener.getsockname())  # on one machine it would be complete at once
        with pytest.raises(BlockingIOError):
            listener.accept()
