"""Pages of a manual, and the records that say the same as they do."""

from pathlib import Path

import pytest

from bench.demo_campaign import manual_pages
from bench.demo_campaign.manual_pages import ManualPage

MARKUP = """<html><head><title>owl(1)</title></head><body><h1>owl(1) Manual Page</h1>
<h2>NAME</h2><div><p>owl - Calls at night</p></div>
<h2>SYNOPSIS</h2><div><pre>owl [--loud] &lt;tree&gt;
owl --version</pre></div>
<h2>DESCRIPTION</h2><p>Owls call.</p></body></html>"""

LINES = ("owl [--loud] <tree>", "owl --version")


@pytest.fixture
def page(tmp_path: Path) -> ManualPage:
    (tmp_path / "owl.html").write_text(MARKUP)
    (tmp_path / "about.html").write_text("<html><h1>About</h1><p>Nothing.</p></html>")
    [page] = manual_pages.pages(tmp_path, 10)
    return page


def test_comments_between_the_lines_are_no_text(tmp_path: Path, page: ManualPage) -> None:
    markup = MARKUP.replace("<h2>SYNOPSIS</h2>", "<h2>SYNOPSIS</h2><!-- made by a program -->")
    (tmp_path / "owl.html").write_text(markup)
    assert manual_pages.pages(tmp_path, 10) == [page]


def test_a_page_states_what_stands_under_its_headings(page: ManualPage) -> None:
    assert page == ManualPage("owl.html", "owl(1)", ("owl - Calls at night",), LINES)


@pytest.mark.parametrize(
    ("called", "synopsis", "good"),
    [
        ("owl - Calls at night", "owl [--loud] <tree>", True),
        ("owl - Calls at night", "owl [--loud] <tree> owl --version", True),
        ("owl - Calls at night", "owl [--loud]", False),
        ("owl [--loud] <tree>", "owl - Calls at night", False),
        ("owl", "owl [--loud] <tree>", True),
        ("owl(1)", "owl [--loud] <tree>", True),
        ("owl - Hunts", "owl [--loud] <tree>", False),
        ("owl - Calls at night", "", False),
    ],
)
def test_a_record_is_good_if_it_says_what_its_page_does(
    page: ManualPage, called: str, synopsis: str, good: bool
) -> None:
    assert page.states({"name": called, "synopsis": synopsis}) is good


def test_a_synopsis_of_a_sign_is_one() -> None:
    glossary = ManualPage("glossary.html", "glossary(7)", ("glossary - Words",), ("*",))
    assert glossary.states({"name": "glossary", "synopsis": "*"})
    assert not glossary.states({"name": "glossary", "synopsis": ""})


def test_the_first_line_of_a_longer_name_is_one() -> None:
    called = ("v.owl - Counts owls.", "Each is counted once.")
    page = ManualPage("v.owl.html", "v.owl - Manual", called, ("v.owl",))
    assert page.states({"name": "v.owl - Counts owls.", "synopsis": "v.owl"})
    assert page.states({"name": " ".join(called), "synopsis": "v.owl"})
    assert not page.states({"name": "Each is counted once.", "synopsis": "v.owl"})
