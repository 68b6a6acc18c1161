"""What the operator's allow-list opens, and that it opens nothing else."""

from dataclasses import replace

import pytest

from app.core.config.allow_list import parse_allow_list
from app.engine.fetch import FetchFailed, FetchPolicy
from tests.unit.engine.fetch.loopback import (
    POLICY,
    PUBLIC,
    Seen,
    Wires,
    always,
    by_path,
    redirect,
    serving,
)

PRIVATE = {
    "wiki": ["10.0.0.5"],
    "wiki.corp": ["10.0.0.5"],
    "docs.example.com": ["10.0.0.5"],
    "far.example.com": ["10.9.9.9"],
    "mixed.example.com": [PUBLIC, "10.0.0.5"],
}


def allowing(setting: str) -> FetchPolicy:
    return replace(POLICY, allow=parse_allow_list(setting))


def outcome(setting: str, url: str) -> str:
    with serving(always()) as server:
        wires = Wires(server.port, dict(PRIVATE))
        try:
            wires.fetcher(allowing(setting)).get(url)
        except FetchFailed as failure:
            assert wires.dialled == []
            return failure.reason
    return "fetched"


@pytest.mark.parametrize(
    ("setting", "url", "expected"),
    [
        # A host entry lifts label, suffix, address; and the port when it names one.
        ("wiki", "http://wiki/", "fetched"),
        ("wiki.corp", "http://WIKI.corp./", "fetched"),
        ("wiki.corp:8080", "http://wiki.corp:8080/", "fetched"),
        ("wiki.corp", "http://wiki.corp:8080/", "host_not_allowed"),
        ("wiki.corp:8080", "http://wiki.corp/", "host_not_allowed"),
        ("wiki.corp", "http://a.wiki.corp/", "host_not_allowed"),
        ("wiki.corp", "http://other.corp/", "host_not_allowed"),
        ("wiki.corp", "http://10.0.0.5/", "address_not_allowed"),
        ("wiki.corp", "http://docs.example.com/", "address_not_allowed"),
        ("docs.example.com", "http://docs.example.com:8080/", "port_not_allowed"),
        # A network entry lifts the address, however it was reached; and its port.
        ("10.0.0.0/24", "http://10.0.0.5/", "fetched"),
        ("10.0.0.0/24", "http://docs.example.com/", "fetched"),
        ("10.0.0.0/24", "http://mixed.example.com/", "fetched"),
        ("10.0.0.0/24:8080", "http://docs.example.com:8080/", "fetched"),
        ("[fd00::/8]:8080", "http://[fd00::1]:8080/", "fetched"),
        ("10.0.0.0/24:8080", "http://10.0.0.5/", "address_not_allowed"),
        ("10.0.0.0/24", "http://10.0.0.5:8080/", "port_not_allowed"),
        ("10.0.0.0/24", "http://10.0.1.5/", "address_not_allowed"),
        ("10.0.0.0/24:8080", "http://far.example.com:8080/", "port_not_allowed"),
        ("10.0.0.0/24:8080", "http://public.example.com:8080/", "port_not_allowed"),
        ("10.0.0.0/24", "http://[::ffff:10.0.0.5]/", "address_not_allowed"),
        # The name of a private host is its own permission.
        ("10.0.0.0/24", "http://wiki.corp/", "host_not_allowed"),
        # What is not the address is never lifted.
        ("wiki.corp", "http://user@wiki.corp/", "credentials_not_allowed"),
        ("wiki.corp", "ftp://wiki.corp/", "scheme_not_allowed"),
    ],
)
def test_an_entry_opens_what_it_names_and_nothing_else(
    setting: str, url: str, expected: str
) -> None:
    assert outcome(setting, url) == expected


def chain(setting: str, start: str, pages: dict[str, str]) -> tuple[str, list[str]]:
    """Follow `pages` (URL to Location) from `start`: the outcome and the URLs that were asked."""

    def answer(seen: Seen, line: object) -> None:
        then = redirect(pages[seen.url]) if seen.url in pages else always()
        then(seen, line)  # type: ignore[arg-type]

    with serving(answer) as server:
        try:
            Wires(server.port, dict(PRIVATE)).fetcher(allowing(setting)).get(start)
            outcome = "fetched"
        except FetchFailed as failure:
            outcome = failure.reason
    return outcome, [seen.url for seen in server.seen]


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("http://wiki.corp:8080/", "host_not_allowed"),
        ("http://10.0.0.5/", "address_not_allowed"),
        ("http://docs.example.com/", "address_not_allowed"),
    ],
)
def test_a_public_page_cannot_send_us_to_a_listed_private_place(
    location: str, expected: str
) -> None:
    start = "http://public.example.com/"
    setting = "wiki.corp:8080,10.0.0.0/24"
    assert chain(setting, start, {start: location}) == (expected, [start])


def test_a_long_public_chain_does_not_earn_the_permission_either() -> None:
    first, second = "http://public.example.com/", "http://public.example.com/2"
    pages = {first: second, second: "http://10.0.0.5/"}
    assert chain("10.0.0.0/24", first, pages) == ("address_not_allowed", [first, second])


def test_a_mixed_name_that_answered_from_its_public_side_gives_no_permission() -> None:
    start = "http://mixed.example.com/"  # its public address is dialled first
    assert chain("10.0.0.0/24", start, {start: "http://10.0.0.5/x"}) == (
        "address_not_allowed",
        [start],
    )


@pytest.mark.parametrize(
    "start", ["http://wiki.corp:8080/", "http://10.0.0.5/", "http://docs.example.com/"]
)
def test_a_chain_that_began_at_a_listed_place_may_reach_another(start: str) -> None:
    end = "http://10.0.0.7/"
    setting = "wiki.corp:8080,10.0.0.0/24"
    assert chain(setting, start, {start: end}) == ("fetched", [start, end])


def test_a_chain_that_began_at_a_listed_place_is_still_refused_elsewhere() -> None:
    start = "http://wiki.corp/"
    assert chain("wiki.corp", start, {start: "http://169.254.169.254/"}) == (
        "address_not_allowed",
        [start],
    )


def test_each_fetch_begins_with_its_own_permission() -> None:
    pages = {"/": redirect("http://public.example.com/b"), "/b": always()}
    with serving(by_path(pages)) as server:
        fetcher = Wires(server.port, dict(PRIVATE)).fetcher(allowing("wiki.corp"))
        assert fetcher.get("http://wiki.corp/").url == "http://public.example.com/b"
        assert fetcher.get("http://public.example.com/b").status == 200
        assert fetcher.get("http://wiki.corp/b").status == 200
