"""A running API behind a real nginx with the configuration of deploy/nginx."""

import http.client
import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from app.core.config.settings import Settings
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import servers
from tests.deploy.installation import SEARCH, Installation, Ports
from tests.deploy.nginx import NAME, Nginx, connect, running
from tests.deploy.programs import validator
from tests.deployed import Deployed, deployed
from tests.ports import free_port

ANONYMOUS_A_MINUTE = 30
BODY_BYTES = 1 << 20

pytestmark = [pytest.mark.deploy, pytest.mark.runs]


@pytest.fixture(scope="module")
def settings(postgres: Postgres, redis_server: Redis) -> Iterator[Settings]:
    with servers.database(postgres) as url:
        yield Settings(database_url=url, redis_url=redis_server.url(), secret_key="x" * 32)


@pytest.fixture(scope="module")
def api(settings: Settings) -> Iterator[Deployed]:
    with deployed(
        settings,
        "web",
        service_base_url=f"https://{NAME}",
        trusted_proxies=1,
        rate_limit_anonymous=f"{ANONYMOUS_A_MINUTE}/minute",
    ) as made:
        yield made


@pytest.fixture(scope="module")
def nginx(api: Deployed) -> Iterator[Nginx]:
    program = validator("nginx", "nginx-light")
    web = int(api.address.rpartition(":")[2])
    nobody, mcp, metrics, agents = (free_port() for _ in range(4))
    ports = Ports(web, nobody, mcp, metrics, agents)
    with running(program, free_port(), free_port(), ports) as made:
        yield made


@pytest.fixture(scope="module")
def key(settings: Settings, api: Deployed) -> str:
    return Installation(settings, Ports(0, 0, 0, 0, 0)).key()


def _head(method: str, path: str, *fields: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {NAME}", "Connection: close", *fields, "", ""]
    return "\r\n".join(lines).encode()


def _exchange(line: socket.socket, data: bytes) -> tuple[int, bytes]:
    """Status and body; the request may be refused before it is whole."""
    with line:
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLError):
            line.sendall(data)
        answer = b""
        while more := _received(line):
            answer += more
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(65536)
    except (ConnectionResetError, ssl.SSLError):
        return b""


def _from(nginx: Nginx, address: str) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(nginx.home / "fullchain.pem"))
    line = socket.create_connection(("127.0.0.1", nginx.port), 30, (address, 0))
    return context.wrap_socket(line, server_hostname=NAME)


def test_an_event_arrives_while_its_stream_goes_on(nginx: Nginx, key: str) -> None:
    body = json.dumps({"query": "owls"}).encode()
    fields = (f"X-API-Key: {key}", "Content-Type: application/json", f"Content-Length: {len(body)}")
    status, answer = _exchange(connect(nginx), _head("POST", SEARCH, *fields) + body)
    assert status == 202
    path = f"{SEARCH}/{json.loads(answer)['id']}/events"
    with connect(nginx) as line:
        line.sendall(_head("GET", path, f"X-API-Key: {key}"))
        heard = b""
        while b"\ndata:" not in heard:  # nobody works, so nothing ends the stream and flushes it
            more = line.recv(65536)
            assert more, heard
            heard += more
        assert b"text/event-stream" in heard


def test_a_caller_is_known_by_its_own_address_whatever_it_says(nginx: Nginx) -> None:
    spoofed = _head("GET", SEARCH, "X-Forwarded-For: 198.51.100.1")
    statuses = [_exchange(_from(nginx, "127.0.0.9"), spoofed)[0] for _ in range(40)]
    assert (statuses[0], statuses[-1]) == (401, 429)
    assert _exchange(_from(nginx, "127.0.0.10"), spoofed)[0] == 401


def test_callers_of_the_tools_for_agents_are_known_by_their_addresses(nginx: Nginx) -> None:
    def ask(caller: str) -> int:
        line = socket.create_connection(("127.0.0.1", nginx.agents), 30)
        return _exchange(line, _head("GET", SEARCH, f"X-Forwarded-For: {caller}, 127.0.0.1"))[0]

    statuses = [ask("203.0.113.7") for _ in range(40)]
    assert (statuses[0], statuses[-1]) == (401, 429)
    assert ask("203.0.113.8") == 401


def test_browsers_are_told_once_to_insist_on_https(nginx: Nginx, settings: Settings) -> None:
    with connect(nginx) as line, http.client.HTTPResponse(line) as answer:
        line.sendall(_head("GET", "/healthz"))
        answer.begin()
        assert answer.headers.get_all("Strict-Transport-Security") == [settings.hsts]


def test_what_is_too_large_gets_the_words_of_the_api(nginx: Nginx, api: Deployed, key: str) -> None:
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    expected = api.ask("POST", SEARCH, headers, b"x" * (BODY_BYTES + 1)).json["error"]
    fields = (f"X-API-Key: {key}", f"Content-Length: {BODY_BYTES + 1}")
    status, body = _exchange(connect(nginx), _head("POST", SEARCH, *fields) + b"x" * 100)
    error = json.loads(body)["error"]
    assert (status, error["code"]) == (413, expected["code"])
    assert error["message"] == expected["message"]


def test_what_the_api_takes_the_proxy_takes(nginx: Nginx, key: str) -> None:
    fields = (
        f"X-API-Key: {key}", "Content-Type: application/json", f"Content-Length: {BODY_BYTES}"
    )  # fmt: skip
    status, _ = _exchange(connect(nginx), _head("POST", SEARCH, *fields) + b" " * BODY_BYTES)
    assert status in (400, 422)


def test_an_archive_of_documents_may_be_larger(nginx: Nginx, key: str) -> None:
    size = 2 * BODY_BYTES
    fields = (f"X-API-Key: {key}", "Content-Type: application/zip", f"Content-Length: {size}")
    head = _head("POST", "/v1/corpora/corp_unknown/documents", *fields)
    assert _exchange(connect(nginx), head + b"x" * size)[0] in (403, 404)


def test_clients_that_send_half_a_request_keep_nobody_waiting(nginx: Nginx, key: str) -> None:
    with ExitStack() as slow:
        for number in range(60):
            line = slow.enter_context(_from(nginx, f"127.0.1.{number + 1}"))
            line.sendall(_head("POST", SEARCH, f"X-API-Key: {key}", "Content-Length: 500") + b"{")
        assert _exchange(connect(nginx), _head("GET", "/healthz"))[0] == 200


def test_metrics_are_not_for_the_outside(nginx: Nginx) -> None:
    assert _exchange(connect(nginx), _head("GET", "/metrics"))[0] == 404


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/v1/nodes/n1/work/claim", "/v1/work/w1/chunks"]
)
def test_what_waits_goes_to_the_processes_for_it(nginx: Nginx, path: str) -> None:
    fields = ("Content-Length: 0",)
    status, body = _exchange(connect(nginx), _head("POST", path, *fields))  # none runs here
    assert (status, json.loads(body)["error"]["code"]) == (503, "overloaded")


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        (_head("GET", f"/{'a' * 9000}"), 414, "uri_too_long"),
        (_head("GET", "/", f"X-A: {'a' * 9000}"), 431, "header_too_large"),
        (b"NONSENSE\r\n\r\n", 400, "malformed_request"),
    ],
)
def test_what_nginx_refuses_has_the_shape_of_the_api(
    nginx: Nginx, head: bytes, status: int, code: str
) -> None:
    answered, body = _exchange(connect(nginx), head)
    assert (answered, json.loads(body)["error"]["code"]) == (status, code)
