"""What an operator may say about a corpus."""

import pytest

from app.domains.library.corpora.options import (
    InvalidCorpus,
    Options,
    check_interval,
    check_location,
    check_name,
    read_options,
)


@pytest.mark.parametrize("name", ["a", "0", "python-3", "a" * 63])
def test_a_good_name_is_taken_as_it_is(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "-a", "A", "a_b", "a" * 64, "a/b", "ä", "a\n"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidCorpus):
        check_name(name)


@pytest.mark.parametrize(
    ("kind", "location"),
    [
        ("wiki", "https://example.org/"),
        ("site", "example.org"),
        ("site", "https://user:pass@example.org/"),
        ("sitemap", ""),
        ("folder", "docs"),
        ("folder", "/no/such/folder"),
        ("folder", __file__),
        ("folder", "/null\0byte"),
    ],
)
def test_a_location_that_does_not_fit_its_kind_is_refused(kind: str, location: str) -> None:
    with pytest.raises(InvalidCorpus):
        check_location(kind, location)


def test_a_url_is_stored_in_its_canonical_form() -> None:
    assert check_location("site", "HTTPS://Example.ORG:443#top") == "https://example.org/"


@pytest.mark.parametrize(
    "given",
    [
        {"max_page": 1},
        {"max_pages": 0},
        {"max_pages": True},
        {"max_depth": -1},
        {"include": "/docs/"},
        {"include": [""]},
        {"exclude": ["x"] * 101},
        {"base_url": "no url"},
        {"base_url": "https://u:p@example.org/"},
    ],
    ids=str,
)
def test_an_option_that_is_unknown_or_out_of_bounds_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(InvalidCorpus):
        read_options(given)


def test_what_is_not_said_has_its_default() -> None:
    assert read_options({}) == Options()


def test_a_problem_names_the_field() -> None:
    with pytest.raises(InvalidCorpus) as caught:
        read_options({"max_pages": 0})
    assert caught.value.details[0]["field"] == "/max_pages"


@pytest.mark.parametrize("seconds", [0, 59, 367 * 86_400])
def test_an_interval_is_from_a_minute_to_a_year(seconds: int) -> None:
    with pytest.raises(InvalidCorpus):
        check_interval(seconds)
