"""Versions in addresses, titles and questions."""

import math

import pytest

from app.engine.text.versions import Newest, Version, named, version_of_address

HOST = "https://docs.example.org"


@pytest.mark.parametrize(
    ("path", "version"),
    [
        ("/3.6/library/os.html", (3, 6)),
        ("/v1/guide", (1,)),
        ("/en/2.x/guide", (2,)),
        ("/docs/16/sql-select.html", (16,)),
        ("/release-1.4/api/", (1, 4)),
        ("/docs/current/sql-select.html", (math.inf,)),
    ],
)
def test_the_folder_of_a_version_is_its_version(path: str, version: Version) -> None:
    found = version_of_address(HOST + path)
    assert found is not None
    assert found[1] == version


@pytest.mark.parametrize("path", ["/", "/guide/3.6", "/release-16.html", "/3d/guide"])
def test_other_names_are_no_version(path: str) -> None:
    assert version_of_address(HOST + path) is None


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("What changed in 3.9?", {(3, 9)}),
        ("Is it in version 16 or v15.2?", {(16,), (15, 2)}),
        ("The default of max_connections is 100", set()),
        ("127.0.0.1.5 and x3.6", set()),
    ],
)
def test_a_text_names_versions_by_their_form(text: str, versions: set[Version]) -> None:
    assert named(text) == versions


PAGES = [(f"{HOST}/{version}/os.html", f"os {version} manual") for version in ("3.9", "3.10")]


def test_a_page_is_older_than_its_newer_version() -> None:
    newest = Newest(PAGES)
    assert [newest.is_older(*page) for page in PAGES] == [True, False]


def test_latest_is_newer_than_any_number() -> None:
    latest = (f"{HOST}/latest/os.html", "os manual")
    assert Newest([*PAGES, latest]).is_older(f"{HOST}/3.10/os.html", "os manual")


@pytest.mark.parametrize(
    "other",
    [
        (f"{HOST}/4/sys.html", "os manual"),
        ("https://other.example.org/4/os.html", "os manual"),
        (f"{HOST}/4/os.html", "Another chapter"),
    ],
)
def test_another_page_makes_none_older(other: tuple[str, str]) -> None:
    page = (f"{HOST}/3/os.html", "os manual")
    assert not Newest([page, other]).is_older(*page)
