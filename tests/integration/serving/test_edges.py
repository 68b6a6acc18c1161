"""What arrives in pieces, is malformed, or leaves slowly."""

import json
import socket
from collections.abc import Iterator

import pytest

from tests import servers
from tests.patience import PATIENCE_SECONDS
from tests.served import HEALTHZ, LARGE, Served, received, received_until, served, status

POST = b"POST /echo HTTP/1.1\r\nHost: x\r\n"
PROCESS = b"GET /process HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n"
MALFORMED = {
    "a length and a transfer encoding": CHUNKED + b"Content-Length: 3\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "a length with a sign": POST + b"Content-Length: +2\r\n\r\n{}",
    "a list of lengths": POST + b"Content-Length: 2, 2\r\n\r\n{}",
    "a blank before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": CHUNKED.replace(b"/1.1", b"/1.0") + b"\r\n2\r\n{}\r\n0\r\n\r\n",
    "a chunk size with a prefix": CHUNKED + b"\r\n0x2\r\n{}\r\n0\r\n\r\n",
    "a negative chunk size": CHUNKED + b"\r\n-1\r\n{}\r\n0\r\n\r\n",
    "a chunk longer than its size": CHUNKED + b"\r\n2\r\n{}}\r\n0\r\n\r\n",
    "a folded header": HEALTHZ[:-2] + b"X-A: 1\r\n 2\r\n\r\n",
    "bare line feeds": HEALTHZ.replace(b"\r\n", b"\n"),
    "one bare line feed": b"GET /healthz HTTP/1.1\r\nHost: x\nX-A: 1\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two hosts": HEALTHZ[:-2] + b"Host: y\r\n\r\n",
}
TOO_LARGE = {
    "2 MiB announced": POST + b"Content-Length: 2097152\r\n\r\n",
    "a chunk of 2 MiB announced": CHUNKED + b"\r\n200000\r\n",
    "2 MiB in chunks": CHUNKED + b"\r\n" + (b"8000\r\n" + b"1" * 32768 + b"\r\n") * 64,
    "a chunk for each byte": CHUNKED + b"\r\n" + b"1\r\n1\r\n" * 20_000,
}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.mark.parametrize(
    "data",
    [b"", b"GET /hea", HEALTHZ, HEALTHZ * 3, b"a" * 70_000, POST + b"Content-Length: 9\r\n\r\n",
     b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n"],
)  # fmt: skip
def test_a_connection_that_breaks_off_ends_no_process(data: bytes, server: Served) -> None:
    process = server.exchange(PROCESS).partition(b"\r\n\r\n")[2]
    for _ in range(50):
        server.reset(data)
    assert server.exchange(PROCESS).endswith(b"\r\n\r\n" + process)


CODES = {
    400: "malformed_request",
    414: "uri_too_long",
    417: "expectation_failed",
    431: "header_too_large",
    501: "transfer_coding_unknown",
}
ERRORS = {
    **{name: (request, 400) for name, request in MALFORMED.items()},
    "an unknown transfer encoding": (CHUNKED.replace(b"chunked", b"xchunked") + b"\r\n", 501),
    "a head too long": (HEALTHZ[:-2] + b"X-A: " + b"a" * 100_000 + b"\r\n\r\n", 431),
    "a head without an end": (HEALTHZ[:-2] + b"X-A: " + b"a" * 100_000, 431),
    "too many fields": (HEALTHZ[:-2] + b"X-A: 1\r\n" * 64 + b"\r\n", 431),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
    "an address too long": (b"GET /" + b"a" * 5_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    "an unknown expectation": (HEALTHZ[:-2] + b"Expect: the-moon\r\n\r\n", 417),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_never_reaches_the_application_gets_the_shape_of_all_errors(
    name: str, server: Served
) -> None:
    request, expected = ERRORS[name]
    head, _, body = server.exchange(request).partition(b"\r\n\r\n")
    error = json.loads(body)["error"]
    assert (status(head), error["code"]) == (expected, CODES[expected])
    assert f"X-Request-Id: {error['request_id']}".encode() in head
    assert b"Content-Type: application/json" in head


def test_a_malformed_credential_is_not_logged(server: Served) -> None:
    assert server.status(HEALTHZ[:-2] + b"X-API-Key cgk_malformed\r\n\r\n") == 400
    servers.until(lambda: "Invalid request from ip=127.0.0.1" in server.log)
    assert "cgk_malformed" not in server.log


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_much_is_refused_without_waiting_for_the_rest(
    name: str, server: Served
) -> None:
    assert server.status(TOO_LARGE[name]) == 413


def test_a_caller_does_not_say_which_part_of_the_path_is_a_prefix(server: Served) -> None:
    asked = b"GET /there/process HTTP/1.1\r\nHost: x\r\nSCRIPT_NAME: /there\r\n\r\n"
    assert server.status(asked) == 404


def test_http_1_0_needs_no_host(server: Served) -> None:
    assert server.exchange(b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.0 200 ")


@pytest.mark.parametrize("end", [b"0\r\n\r\n", b"0\r\nX-Trailer: 1\r\n\r\n"])
def test_a_chunked_body_arrives(end: bytes, server: Served) -> None:
    answer = server.exchange(
        CHUNKED + b"Connection: close\r\n\r\n", b"2\r\n{}\r\n", b"3;a=b\r\n[1]\r\n", end
    )
    assert (status(answer), answer[-5:]) == (200, b"{}[1]")


def test_a_client_that_asks_first_is_told_to_continue(server: Served) -> None:
    with server.connect() as client:
        client.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert status(received_until(client, b"\r\n\r\n")) == 100
        client.sendall(b"{}")
        assert status(received_until(client, b"{}")) == 200


def test_a_client_that_asks_for_too_much_is_refused_at_once(server: Served) -> None:
    assert server.status(POST + b"Expect: 100-continue\r\nContent-Length: 2097152\r\n\r\n") == 413


def test_requests_in_one_packet_are_answered_in_order(server: Served) -> None:
    requests = [POST + b"Content-Length: 1\r\n\r\n%d" % n for n in range(3)]
    last = POST + b"Connection: close\r\nContent-Length: 1\r\n\r\n3"
    answer = server.exchange(b"".join(requests) + last[:30], last[30:])
    bodies = [part.partition(b"\r\n\r\n")[2] for part in answer.split(b"HTTP/1.1 200 OK")[1:]]
    assert bodies == [b"0", b"1", b"2", b"3"]


def test_a_request_may_come_in_any_two_pieces(server: Served) -> None:
    request = POST + b"Content-Length: 4\r\n\r\nbody"
    with server.connect() as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for cut in range(1, len(request)):
            client.sendall(request[:cut])
            client.sendall(request[cut:])
            assert received_until(client, b"\r\n\r\nbody").startswith(b"HTTP/1.1 200 "), cut


def test_a_large_answer_read_slowly_arrives_whole_and_the_connection_goes_on(
    server: Served,
) -> None:
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
        client.settimeout(PATIENCE_SECONDS)
        client.connect(("127.0.0.1", server.port))
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        data = b""
        while data.partition(b"\r\n\r\n")[2] != LARGE:
            servers.until(lambda: server.status(HEALTHZ) == 200)  # slower than the server sends
            for _ in range(16):
                if data.partition(b"\r\n\r\n")[2] != LARGE:
                    data += client.recv(65536)
        client.sendall(HEALTHZ)
        assert status(received(client, 1)) == 200


def test_a_stream_ends_when_its_client_has_left(server: Served) -> None:
    with server.connect() as client:
        client.sendall(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"again" in received_until(client, b"again")
        assert open_streams(server) == 1
    servers.until(lambda: open_streams(server) == 0)


def open_streams(server: Served) -> int:
    answer = server.exchange(b"GET /streams HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return int(answer.rpartition(b":")[2].strip(b" }\n"))
