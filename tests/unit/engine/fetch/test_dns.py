"""Names are looked up within a deadline, and looked up once."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.resolver
import dns.rrset
import pytest

from app.engine.fetch import FetchFailed
from app.engine.fetch.dns import SystemResolver
from tests.patience import PATIENCE_SECONDS
from tests.unit.engine.fetch.loopback import PUBLIC, Wires, always, serving

Zone = Callable[[str, str], list[str] | None]  # (name, type) -> records; None: no such name


@contextlib.contextmanager
def name_server(zone: Zone) -> Iterator[dns.resolver.Resolver]:
    """A resolver whose one name server answers from `zone`, with a lifetime of no time."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", 0))

    def loop() -> None:
        while True:
            wire, client = sock.recvfrom(4096)
            if not wire:
                return
            sock.sendto(_answer(wire, zone), client)

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers = ["127.0.0.1"]
    resolver.port = sock.getsockname()[1]
    try:
        yield resolver
    finally:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bell:
            bell.sendto(b"", ("127.0.0.1", resolver.port))
        thread.join(PATIENCE_SECONDS)
        sock.close()


def _answer(wire: bytes, zone: Zone) -> bytes:
    query = dns.message.from_wire(wire)
    response = dns.message.make_response(query)
    response.flags |= dns.flags.RA
    (question,) = query.question
    kind = dns.rdatatype.to_text(question.rdtype)
    records = zone(question.name.to_text(), kind)
    if records is None:
        response.set_rcode(dns.rcode.NXDOMAIN)
    elif records:
        response.answer.append(dns.rrset.from_text(question.name, 0, "IN", kind, *records))
    return response.to_wire()


def no_system(monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[str]]) -> list[str]:
    """Replace the system's own lookup; the list fills with the names it was asked."""
    asked: list[str] = []

    def fake(host: str, *_: object, **__: object) -> list[object]:
        if host != "127.0.0.1":  # a thread of another test that dials its server by address
            asked.append(host)
        if host not in answers:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 0)) for a in answers[host]]

    monkeypatch.setattr(socket, "getaddrinfo", fake)
    return asked


def test_both_families_are_asked_and_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = no_system(monkeypatch, {})
    zone = {"A": ["1.1.1.1", "1.1.1.2", "1.1.1.3"], "AAAA": ["2606:4700::1", "2606:4700::2"]}
    with name_server(lambda name, kind: zone[kind]) as servers:
        found = SystemResolver(servers)("example.com", PATIENCE_SECONDS)
    assert sorted(found) == sorted(zone["A"] + zone["AAAA"])
    assert [":" in address for address in found] == [False, True, False, True, False]
    assert asked == []


def test_one_family_is_enough() -> None:
    with name_server(lambda name, kind: ["1.1.1.1"] if kind == "A" else []) as servers:
        assert SystemResolver(servers)("example.com", PATIENCE_SECONDS) == ["1.1.1.1"]


def test_the_name_is_asked_as_it_stands_without_search_domains() -> None:
    asked: list[str] = []

    def zone(name: str, kind: str) -> list[str]:
        asked.append(name)
        return ["1.1.1.1"] if kind == "A" else []

    with name_server(zone) as servers:
        servers.search = [dns.name.from_text("corp.")]
        SystemResolver(servers)("example.com", PATIENCE_SECONDS)
    assert set(asked) == {"example.com."}


def test_a_name_only_the_hosts_file_knows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    no_system(monkeypatch, {"wiki": ["10.0.0.5"]})
    with name_server(lambda name, kind: None) as servers:
        assert SystemResolver(servers)("wiki", PATIENCE_SECONDS) == ["10.0.0.5"]


def test_a_name_nobody_knows_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    no_system(monkeypatch, {})
    with name_server(lambda name, kind: None) as servers:
        assert SystemResolver(servers)("nx.example.com", PATIENCE_SECONDS) == []


def test_a_silent_name_server_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    no_system(monkeypatch, {})
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        servers = dns.resolver.Resolver(configure=False)
        servers.nameservers, servers.port = ["127.0.0.1"], silent.getsockname()[1]
        with pytest.raises(TimeoutError):
            SystemResolver(servers)("example.com", 0.2)


def test_a_system_lookup_that_hangs_is_left_behind_and_holds_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, asked = threading.Event(), []

    def hang(host: str, *_: object, **__: object) -> list[object]:
        if host in ("first", "second"):  # other threads look up names of their own
            asked.append(host)
            release.wait(PATIENCE_SECONDS)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with name_server(lambda name, kind: None) as servers:
        resolver = SystemResolver(servers, system_lookups=1)
        try:
            for host in ("first", "second"):
                with pytest.raises(TimeoutError):
                    resolver(host, 0.2)
        finally:
            release.set()
    assert asked == ["first"]


def test_a_name_that_moves_between_lookups_cannot_lead_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = no_system(monkeypatch, {})
    moves = iter([PUBLIC, "127.0.0.1"])
    lookups: list[str] = []

    def zone(name: str, kind: str) -> list[str]:
        if kind != "A":
            return []
        lookups.append(name)
        return [next(moves)]

    with name_server(zone) as servers, serving(always(b"public page")) as server:
        wires = Wires(server.port)
        # create_connection would ask the replaced getaddrinfo, so dial by hand.
        monkeypatch.setattr(wires, "connect", dial_loopback(wires))
        fetcher = wires.fetcher(resolve=SystemResolver(servers))
        assert fetcher.get("http://rebind.example.com/").body == b"public page"
        assert (lookups, wires.dialled) == (["rebind.example.com."], [(PUBLIC, 80)])
        with pytest.raises(FetchFailed, match="address_not_allowed"):
            fetcher.get("http://rebind.example.com/")
    assert server.seen[0].headers["host"] == "rebind.example.com"
    assert wires.dialled == [(PUBLIC, 80)]
    assert asked == []


def dial_loopback(wires: Wires) -> Callable[[str, int, float], socket.socket]:
    def connect(address: str, port: int, timeout_seconds: float) -> socket.socket:
        wires.dialled.append((address, port))
        sock = socket.socket()
        sock.connect(("127.0.0.1", wires.port))
        return sock

    return connect
