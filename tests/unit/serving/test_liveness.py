"""Whether a web process answers, asked where it listens."""

import socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from app.serving import liveness
from tests.patience import PATIENCE_SECONDS


@pytest.mark.parametrize(("status", "answers"), [(200, 1.0), (503, 0.0)])
def test_who_answers_well_is_alive(
    status: int, answers: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "SECONDS", PATIENCE_SECONDS)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is said."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        assert _value([server.socket]) == answers
        server.shutdown()


def test_nobody_who_listens_is_nobody_who_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert _value([silent]) == 0.0
    assert _value([]) == 0.0


def _value(listeners: list[socket.socket]) -> float:
    (gauge,) = liveness.metrics("web", listeners)
    ((_, labels, value, *_),) = gauge.samples
    assert labels == {"server": "web"}
    return float(value)
