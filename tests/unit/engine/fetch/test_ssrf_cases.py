"""Every agreed SSRF case, whole: verdict, reason, and which sockets were opened."""

import json
import socket
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from app.engine.fetch import Fetcher, FetchFailed
from app.engine.fetch.address import is_public
from tests.unit.engine.fetch.certificates import Certificate
from tests.unit.engine.fetch.loopback import POLICY, Seen, Wires, redirect, reply, serving

CASES = Path(__file__).parents[5] / "shared" / "cases" / "ssrf.json"
HURRIED = replace(POLICY, total_seconds=1.5)  # for what never ends
DOCUMENT: dict[str, Any] = json.loads(CASES.read_text()) if CASES.exists() else {"cases": []}
if not DOCUMENT["cases"]:
    pytest.skip("the shared SSRF cases are not here", allow_module_level=True)


def by_kind(*kinds: str, other: bool = False) -> list[Any]:
    chosen = [c for c in DOCUMENT["cases"] if (c["kind"] in kinds) != other]
    return [pytest.param(c, id=c["id"]) for c in chosen]


@pytest.mark.parametrize("case", by_kind("response", other=True))
def test_a_url_gets_its_verdict_and_only_permitted_sockets(
    case: dict[str, Any], certificate: Certificate
) -> None:
    redirects = case.get("redirects", {})

    def answer(seen: Seen, line: socket.socket) -> None:
        status, location = redirects.get(seen.url, (200, ""))
        if location:
            redirect(location, f"{status} Moved")(seen, line)
        else:
            reply(line)

    with serving(answer, certificate.server) as server:
        wires = Wires(server.port, case.get("dns", {}))
        got = outcome(wires.fetcher(tls=certificate.unverified), case["url"])
    assert got == (case["expect"], case.get("code"))
    assert {address for address, _ in wires.dialled} <= permitted(case)


@pytest.mark.parametrize("case", by_kind("response"))
def test_an_answer_gets_its_verdict(case: dict[str, Any]) -> None:
    late = case.get("code") == "timeout"
    with serving(lambda _, line: BEHAVIOURS[case["server"]](line)) as server:
        wires = Wires(server.port, case["dns"])
        got = outcome(wires.fetcher(HURRIED if late else POLICY), case["url"])
    assert got == (case["expect"], case.get("code"))
    assert {address for address, _ in wires.dialled} <= set(case["connect"])


def outcome(fetcher: Fetcher, url: str) -> tuple[str, str | None]:
    try:
        fetcher.get(url)
    except FetchFailed as failure:
        return "block", failure.reason
    return "allow", None


def permitted(case: dict[str, Any]) -> set[str]:
    """What the case names; a chain may touch the public answers before it is refused."""
    named = set(case.get("connect", []))
    if case["kind"] not in {"redirect", "dns-rebind"}:
        return named
    answers = [a for given in case["dns"].values() for a in given]
    flat = [b for a in answers for b in (a if isinstance(a, list) else [a])]
    return named | {text for text in flat if is_public(ip_address(text))}


def head(*headers: str, media_type: str = "text/plain") -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {media_type}", *headers, "", ""]
    return "\r\n".join(lines).encode()


def endless_chunks(line: socket.socket) -> None:
    line.sendall(head("Transfer-Encoding: chunked"))
    for _ in range(1000):
        line.sendall(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")


def gzip_zeros(line: socket.socket) -> None:
    line.sendall(head("Content-Encoding: gzip"))
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for _ in range(1024):
        line.sendall(packer.compress(bytes(1 << 20)))


def dripping_headers(line: socket.socket) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nX: " + b"a" * 4000:
        line.sendall(bytes([byte]))
        time.sleep(0.02)  # the behaviour under test, not a wait


BEHAVIOURS: dict[str, Callable[[socket.socket], None]] = {
    "content_length_10gb": lambda line: line.sendall(head("Content-Length: 10737418240")),
    "endless_chunks": endless_chunks,
    "gzip_zeros_1gb": gzip_zeros,
    "br_unasked": lambda line: line.sendall(head("Content-Encoding: br") + b"\x0b\x02\x80hi\x03"),
    "drip_headers_1Bps": dripping_headers,
    "image_png": lambda line: reply(line, b"\x89PNG", media_type="image/png"),
    "http09_body": lambda line: line.sendall(b"<html>hello</html>"),
    "plain_small": reply,
}
