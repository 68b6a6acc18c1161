"""The URL parser: one canonical target or a refusal."""

import socket
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.fetch import FetchFailed, FetchPolicy, parse
from app.engine.fetch.address import is_public
from app.engine.fetch.url import redirect_target

POLICY = FetchPolicy()
FRAGMENTS = st.sampled_from([
    "http://", "https://", "//", "@", ":", "80", "443", "127.0.0.1", "[::1]", "example.com", "%00",
    "\\", "#", "?", "/", "0x7f.1", "１", "。", "xn--a", "xn--", ".", "..", "-", "_", "[", "]",
    "%2e", "localhost", "2130706433", "::ffff:127.0.0.1", "ab--c", "：", "／", "08", "ß",
    "1e100.net", "\u200d", "\u00ad", "\ud800", "\u2028", " ", "\t",
])  # fmt: skip
RAW = st.one_of(
    st.text(max_size=60),
    st.lists(FRAGMENTS, max_size=8).map("".join),
    st.lists(FRAGMENTS, max_size=6).map(lambda parts: "http://" + "".join(parts)),
    st.text(max_size=30).map(lambda text: f"https://{text}.example.com/{text}?{text}"),
)


@given(RAW)
def test_nothing_but_a_fetch_failure_leaves_the_parser_and_its_url_parses_to_itself(
    raw: str,
) -> None:
    try:
        target = parse(raw, POLICY)
    except FetchFailed:
        return
    assert parse(target.url, POLICY) == target
    assert target.url.isascii()
    assert target.url.isprintable()
    assert " " not in target.url


@given(RAW)
def test_an_accepted_host_is_no_address_in_disguise(raw: str) -> None:
    try:
        target = parse(raw, POLICY)
    except FetchFailed:
        return
    if target.address is not None:
        assert is_public(target.address)
        return
    with pytest.raises(OSError, match="illegal IP address"):
        socket.inet_aton(target.host)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{:d}", "0x{:x}", "0{:o}"]))
def test_an_ipv4_address_is_only_taken_as_a_dotted_quad(number: int, spelling: str) -> None:
    with pytest.raises(FetchFailed, match="invalid_url"):
        parse(f"http://{spelling.format(number)}/", POLICY)


@given(st.text(max_size=40))
def test_nothing_but_a_fetch_failure_leaves_the_reading_of_a_location(location: str) -> None:
    base = parse("https://example.com/a", POLICY)
    try:
        target = redirect_target(location, base, POLICY)
    except FetchFailed:
        return
    assert parse(target.url, POLICY) == target


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        ("HTTP://Example.COM.", "http://example.com/"),
        ("https://example.com:443/a?b#c", "https://example.com/a?b"),
        ("https://bücher.example.com/ü", "https://xn--bcher-kva.example.com/%C3%BC"),
        ("https://r3---sn-x.example.com/", "https://r3---sn-x.example.com/"),
        ("http://[2606:4700:4700:0:0:0:0:1111]:80/", "http://[2606:4700:4700::1111]/"),
        ("http://example.com/100%?q=[1]&x={y}", "http://example.com/100%?q=[1]&x=%7By%7D"),
    ],
)
def test_equal_addresses_have_one_canonical_url(raw: str, canonical: str) -> None:
    assert parse(raw, POLICY).url == canonical


def test_a_url_that_grows_past_the_limit_when_encoded_is_refused() -> None:
    with pytest.raises(FetchFailed, match="invalid_url"):
        parse("https://example.com/" + "ü" * 400, POLICY)


def test_the_message_of_a_refusal_holds_the_host_and_the_reason_only() -> None:
    with pytest.raises(FetchFailed) as caught:
        parse("http://10.0.0.1/?token=s3cret", POLICY)
    assert str(caught.value) == "10.0.0.1: address_not_allowed"
    assert not caught.value.retryable


def test_a_literal_address_is_handed_on_as_an_address() -> None:
    assert parse("http://1.1.1.1/", POLICY).address == IPv4Address("1.1.1.1")


def test_a_location_in_utf8_is_read_as_utf8() -> None:
    base = parse("https://example.com/a", POLICY)
    location = "/ü".encode().decode("latin-1")
    assert redirect_target(location, base, POLICY).path == "/%C3%BC"
