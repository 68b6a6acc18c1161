"""Which base URLs may carry a credential."""

import pytest

from citegrid import Client, InvalidBaseUrl
from citegrid.transport.address import checked, loopback


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://citegrid.example.org", "https://citegrid.example.org"),
        ("https://example.org/citegrid/", "https://example.org/citegrid"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_https_and_this_machine_are_accepted(given: str, kept: str) -> None:
    assert checked(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "http://example.org",
        "http://127.0.0.1.example.org",
        "http://localhost.example.org",
        "http://10.0.0.1",
        "ftp://example.org",
        "example.org",
        "",
        "https://",
        "https://user:secret@example.org",
        "https://example.org/?key=secret",
        "https://example.org/#x",
        "https://exa\x00mple.org",
    ],
)
def test_anything_else_is_refused_before_a_request(given: str) -> None:
    with pytest.raises(InvalidBaseUrl) as raised:
        Client(given, "cgk_secret")
    assert "secret" not in str(raised.value)


def test_plain_http_to_another_machine_can_be_allowed() -> None:
    assert checked("http://10.0.0.1:8000", allow_insecure=True) == "http://10.0.0.1:8000"


def test_all_of_127_is_this_machine() -> None:
    assert loopback("http://127.8.8.8")


@pytest.mark.parametrize("sign", ["/?", "/#", "?#"])
def test_the_sign_of_an_empty_query_or_fragment_is_left_out(sign: str) -> None:
    assert checked(f"https://c.example.org{sign}") == "https://c.example.org"
