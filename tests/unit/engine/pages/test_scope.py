"""Which addresses belong to a site that is crawled."""

import pytest

from app.engine.pages.site.scope import Scope, admits

START = "https://docs.example.org/manual/"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://docs.example.org/a", "https://docs.example.org/a"),
        ("HTTPS://Docs.Example.org/a#part", "https://docs.example.org/a"),
        ("https://docs.example.org:443/a?x=1", "https://docs.example.org/a?x=1"),
        ("http://docs.example.org/a", None),
        ("https://example.org/a", None),
        ("https://docs.example.org:8443/a", None),
        ("https://docs.example.org@evil.example/a", None),
        ("https://docs.example.org/a.PNG", None),
        ("https://docs.example.org" + "/x" * 40, None),
        ("https://[bad/", None),
    ],
)
def test_only_documents_of_the_same_origin_have_an_address(url: str, address: str | None) -> None:
    assert Scope.of(START).address(url) == address


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("/manual/a", True),
        ("/manual/api/a", False),
        ("/manual/draft-1", False),
        ("/blog/a", False),
        ("/guide/x/index.html", True),
        ("/guide/x/other.html", False),
    ],
)
def test_patterns_are_prefixes_or_globs_and_exclusion_wins(path: str, inside: bool) -> None:
    scope = Scope.of(START, ("/manual/", "/guide/*/index.html"), ("/manual/api/", "*/draft-?"))
    found = scope.address(f"https://docs.example.org{path}")
    assert (found is not None) is inside


def test_addresses_come_once_and_in_order() -> None:
    scope = Scope.of(START)
    urls = [
        "https://docs.example.org/b",
        "https://docs.example.org/a#1",
        "ftp://x/",
        "https://docs.example.org/a#2",
    ]
    assert scope.addresses(urls) == ("https://docs.example.org/b", "https://docs.example.org/a")


def test_the_markup_of_a_manual_is_no_page_of_it_unless_it_is_asked_for() -> None:
    assert not admits("/docs/_sources/limits.rst.txt", (), ())
    assert admits("/docs/_sources/limits.rst.txt", ("/docs/_sources/",), ())


@pytest.mark.parametrize(
    ("start", "link"),
    [
        ("https://xn--bcher-kva.example/", "https://bücher.example/ä?q=ö"),
        ("https://BÜCHER.example:443/", "https://xn--bcher-kva.example./%C3%A4?q=%C3%B6"),
    ],
)
def test_a_site_has_one_origin_and_a_page_one_address(start: str, link: str) -> None:
    assert Scope.of(start).address(link) == "https://xn--bcher-kva.example/%C3%A4?q=%C3%B6"
