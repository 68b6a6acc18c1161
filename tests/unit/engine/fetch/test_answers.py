"""What the fetcher takes from a server, and when it has had enough."""

import gzip
import socket
import tracemalloc
import zlib
from dataclasses import replace

import pytest

from app.engine.fetch import FetchFailed, FetchPolicy
from tests import pace
from tests.unit.engine.fetch.certificates import Certificate
from tests.unit.engine.fetch.loopback import (
    PAGE,
    PLAIN,
    POLICY,
    Answer,
    Wires,
    always,
    raw,
    reason_of,
    response_of,
    serving,
)


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP"])
def test_gzip_is_undone(encoding: str) -> None:
    answer = always(gzip.compress(b"hello"), headers=[f"Content-Encoding: {encoding}"])
    assert response_of(answer).body == b"hello"


def test_a_gzip_sitemap_file_is_unpacked() -> None:
    answer = always(gzip.compress(b"<urlset/>"), media_type="application/x-gzip")
    assert response_of(answer).body == b"<urlset/>"


def test_a_gzip_file_sent_with_gzip_encoding_is_unpacked_to_the_bottom() -> None:
    twice = gzip.compress(gzip.compress(b"<urlset/>"))
    headers = ["Content-Encoding: gzip"]
    answer = always(twice, media_type="application/gzip", headers=headers)
    assert response_of(answer).body == b"<urlset/>"


def test_stacked_encodings_are_refused() -> None:
    body = gzip.compress(gzip.compress(b"hello"))
    assert reason_of(always(body, headers=["Content-Encoding: gzip, gzip"])) == (
        "unsupported_encoding"
    )


@pytest.mark.parametrize("media_type", ["application/pdf", "text/markdown", "text/csv"])
def test_document_types_are_read(media_type: str) -> None:
    assert response_of(always(media_type=media_type)).media_type == media_type


def test_of_a_type_that_is_said_twice_the_last_counts() -> None:
    before = ["Content-Type: text/plain"]
    twice = always(media_type="text/html; charset=utf-8", headers=before)
    with serving(twice) as server:
        response = Wires(server.port).fetcher().get(PAGE)
    assert (response.media_type, response.charset) == ("text/html", "utf-8")


@pytest.mark.parametrize("said", [b"102 Processing", b"103 Early Hints", b"199 Whatever"])
def test_what_is_said_before_the_answer_is_passed_over(said: bytes) -> None:
    before = b"HTTP/1.1 " + said + b"\r\nLink: </style.css>\r\n\r\n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"
    assert response_of(raw(before * 2 + answer)).body == b"hello"


def test_an_answer_without_a_type_is_refused() -> None:
    assert reason_of(always(media_type=None)) == "unsupported_media_type"


@pytest.mark.parametrize("status", ["404 Not Found", "503 Service Unavailable"])
def test_a_failing_status_is_an_answer_whose_page_is_not_read(status: str) -> None:
    response = response_of(always(b"x" * 100, status=status, media_type="image/png"))
    assert (response.status, response.body) == (int(status[:3]), b"")


BROKEN = {
    "cut gzip": always(gzip.compress(b"hello" * 99)[:-9], headers=["Content-Encoding: gzip"]),
    "no gzip": always(b"hello", headers=["Content-Encoding: gzip"]),
    "short body": raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nab"
    ),
    "bad chunk": raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    ),
    "another protocol": raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    "too many headers": raw(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 101 + b"\r\n"),
    "endless header line": raw(b"HTTP/1.1 200 OK\r\nX-A: " + b"b" * 70000 + b"\r\n\r\n"),
    "nothing but hints": raw(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100),
    "upgrade": raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
    "two lengths": raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"
    ),
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_answer_is_a_bad_response(answer: Answer) -> None:
    assert reason_of(answer) == "bad_response"


@pytest.mark.parametrize(
    ("policy", "answer"),
    [
        (replace(POLICY, max_wire_bytes=99), always(b"x" * 100)),
        (replace(POLICY, max_wire_bytes=99), raw(PLAIN + b"\r\n" + b"x" * 100)),
        (replace(POLICY, max_body_bytes=99), always(b"x" * 100)),
        (
            replace(POLICY, max_body_bytes=99),
            always(gzip.compress(b"x" * 100), headers=["Content-Encoding: gzip"]),
        ),
    ],
    ids=["announced", "wire", "body", "decoded"],
)
def test_a_body_one_byte_over_a_limit_is_refused(policy: FetchPolicy, answer: Answer) -> None:
    assert reason_of(answer, policy) == "response_too_large"


def test_a_body_at_its_limits_is_taken() -> None:
    policy = replace(POLICY, max_wire_bytes=100, max_body_bytes=100)
    response = response_of(always(b"x" * 100), policy)
    assert (len(response.body), response.truncated) == (100, False)


def test_a_body_is_cut_at_its_limit_when_the_policy_says_so() -> None:
    policy = replace(POLICY, max_body_bytes=99, truncate=True)
    response = response_of(always(b"x" * 100), policy)
    assert (len(response.body), response.truncated) == (99, True)


def test_a_gzip_bomb_costs_little_more_than_the_limit() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(128)) + packer.flush()
    policy = replace(POLICY, max_body_bytes=1 << 20)
    with serving(always(bomb, headers=["Content-Encoding: gzip"])) as server:
        fetcher = Wires(server.port).fetcher(policy)
        tracemalloc.start()
        try:
            with pytest.raises(FetchFailed, match="response_too_large"):
                fetcher.get(PAGE)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 3 << 20


# --- time


def dripping(prefix: bytes, drop: bytes = b"a") -> Answer:
    def answer(_: object, line: socket.socket) -> None:
        line.sendall(prefix)
        line.settimeout(0.05)
        while True:  # until the client hangs up
            try:
                if not line.recv(1):
                    return
            except TimeoutError:
                line.sendall(drop)

    return answer


SLOW = {
    "headers": dripping(b"HTTP/1.1 200 OK\r\nX: "),
    "counted body": dripping(PLAIN + b"Content-Length: 4000\r\n\r\n"),
    "open body": dripping(PLAIN + b"\r\n"),
    "open body that stops": dripping(PLAIN + b"\r\n", b""),
}


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW.keys())
def test_a_slow_server_is_cut_off_when_the_time_is_up(answer: Answer) -> None:
    assert reason_of(answer, replace(POLICY, total_seconds=0.4)) == "timeout"


def test_a_server_dripping_over_tls_is_cut_off_too(certificate: Certificate) -> None:
    policy = replace(POLICY, total_seconds=0.6)
    with serving(dripping(PLAIN + b"\r\n"), certificate.server) as server:
        fetcher = Wires(server.port).fetcher(policy, tls=certificate.trusting)
        begun = pace.seconds()
        with pytest.raises(FetchFailed, match="timeout"):
            fetcher.get("https://pinned.example.com/")
    assert pace.seconds() - begun < 3.0


def test_a_silent_server_is_a_timeout() -> None:
    policy = replace(POLICY, read_seconds=0.2)
    assert reason_of(dripping_nothing, policy) == "timeout"


def dripping_nothing(_: object, line: socket.socket) -> None:
    line.recv(1)


def test_a_handshake_that_never_ends_is_cut_off() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    with listener:
        fetcher = Wires(listener.getsockname()[1]).fetcher(replace(POLICY, total_seconds=0.3))
        with pytest.raises(FetchFailed, match="timeout"):
            fetcher.get("https://example.com/")


# --- TLS
