"""The client for configured services: JSON or one of five reasons, within its time."""

import socket
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from app.engine.origin import Origin, OriginFailed
from tests.patience import PATIENCE_SECONDS
from tests.ports import free_port
from tests.unit.engine.fetch.loopback import Seen, Server, serving

SECRET = "sk-very-secret"


def answered(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


ANSWERS = {
    "/ok": answered("200 OK", b'{"ok": true}'),
    "/text": answered("200 OK", b"<html>"),
    "/deep": answered("200 OK", b"[" * 100_000),
    "/large": answered("200 OK", b'"' + b"x" * 5000 + b'"'),
    "/moved": answered("302 Found", b"", "Location: http://127.0.0.1:1/"),
    "/limited": answered("429 Too Many Requests", b"", "Retry-After: 7"),
    "/hostile": answered("429 Too Many Requests", b"", f"Retry-After: {'9' * 5000}"),
    "/wrong": answered("400 Bad Request", b"{}"),
    "/down": answered("503 Service Unavailable", b"{}"),
}


@pytest.fixture
def server() -> Iterator[Server]:
    def answer(seen: Seen, line: socket.socket) -> None:
        path, pause = seen.path.split("?")[0], Event()
        if path == "/drip":
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
            for _ in range(200):
                line.sendall(b" ")
                pause.wait(0.02)
        line.sendall(ANSWERS.get(path, b""))

    with serving(answer) as running:
        yield running


def origin(server: Server) -> Origin:
    url = f"http://127.0.0.1:{server.port}"
    return Origin(url, headers={"Authorization": f"Bearer {SECRET}"}, max_bytes=4000)


def test_json_comes_back_parsed(server: Server) -> None:
    assert origin(server).get("/ok", {"q": "a b"}, seconds=PATIENCE_SECONDS) == {"ok": True}
    assert server.seen[0].path == "/ok?q=a+b"


def test_a_body_is_posted_as_json(server: Server) -> None:
    origin(server).post("/ok", {"a": 1}, seconds=PATIENCE_SECONDS)
    assert (server.seen[0].headers["content-type"], server.seen[0].body) == (
        "application/json",
        b'{"a": 1}',
    )


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/text", "broken"),
        ("/deep", "broken"),
        ("/large", "broken"),
        ("/down", "broken"),
        ("/moved", "refused"),
        ("/wrong", "refused"),
        ("/limited", "blocked"),
        ("/hostile", "blocked"),
    ],
)
def test_a_failure_has_one_of_the_reasons(server: Server, path: str, reason: str) -> None:
    with pytest.raises(OriginFailed) as failed:
        origin(server).get(path, {}, seconds=PATIENCE_SECONDS)
    assert failed.value.reason == reason


def test_a_pause_that_is_asked_for_is_told(server: Server) -> None:
    with pytest.raises(OriginFailed) as failed:
        origin(server).get("/limited", {}, seconds=PATIENCE_SECONDS)
    assert failed.value.retry_after == 7


def test_an_answer_that_never_ends_is_given_up_in_time(server: Server) -> None:
    with pytest.raises(OriginFailed, match="slow"):
        origin(server).get("/drip", {}, seconds=0.3)


def test_a_connection_that_was_closed_meanwhile_is_made_anew() -> None:
    def serve(listener: socket.socket) -> None:
        with listener.accept()[0] as line:
            line.recv(4096)
            line.sendall(ANSWERS["/ok"])
            line.recv(4096)  # the second request meets the end of the connection
        with listener.accept()[0] as line:
            line.recv(4096)
            line.sendall(ANSWERS["/ok"])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, args=[listener], daemon=True)
        thread.start()
        client = Origin(f"http://127.0.0.1:{listener.getsockname()[1]}")
        client.get("/ok", {}, seconds=PATIENCE_SECONDS)
        assert client.get("/ok", {}, seconds=PATIENCE_SECONDS) == {"ok": True}
        thread.join()


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(OriginFailed, match="unreachable"):
        Origin(f"http://127.0.0.1:{free_port()}").get("/", {}, seconds=PATIENCE_SECONDS)


def test_neither_name_nor_failure_shows_a_credential(server: Server) -> None:
    with pytest.raises(OriginFailed) as failed:
        origin(server).get("/down", {"key": SECRET}, seconds=PATIENCE_SECONDS)
    assert SECRET not in repr(failed.value) + repr(origin(server))


@pytest.mark.parametrize(
    "url", ["ftp://host", "http://", "http://user:pw@host", "https://host/?key=1", "host"]
)
def test_what_is_no_base_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base URL"):
        Origin(url)
