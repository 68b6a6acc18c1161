"""Registrable domains by the Public Suffix List, whatever a host is written like."""

import pytest

from app.engine.pages.site.registrable import domain_of_url, registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("WWW.Example.ORG.", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("a.b.example.kawasaki.jp", "b.example.kawasaki.jp"),
        ("docs.bob.github.io", "bob.github.io"),
        ("www.Bücher.example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("shop.食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
        ("faß.de", "xn--fa-hia.de"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
        ("127.0.0.1", "127.0.0.1"),
        ("[2001:DB8::1]", "2001:db8::1"),
    ],
)
def test_a_host_has_one_owner(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


@pytest.mark.parametrize("host", ["", " ", ".", "a..b", "a b.org", "exa/mple.org", "x" * 300])
def test_what_is_no_host_has_none(host: str) -> None:
    assert registrable_domain(host) is None


def test_a_url_has_the_domain_of_its_host() -> None:
    assert domain_of_url("https://user@Docs.Example.org:8443/a?b") == "example.org"


@pytest.mark.parametrize("url", ["corpus://notes/a.md", "mailto:a@example.org", "https://[", ""])
def test_what_is_not_on_the_web_has_no_domain(url: str) -> None:
    assert domain_of_url(url) is None
