"""Pages made to keep a reader busy are read, or refused, in seconds.

Each of these took minutes of quadratic work or recursion without end before it was bounded; the
timeout is generous, and only tells seconds from minutes.
"""

import pytest

from app.engine.pages.formats.html import parse
from app.engine.pages.page import PageUnreadable
from app.engine.pages.passages import split
from app.engine.pages.read import read

pytestmark = pytest.mark.timeout(600)
PROSE = "<p>A paragraph of prose about owls and their young, long enough to be read.</p>" * 5

HOSTILE = {
    "attributes": f"<div {' '.join(f'a{i}=x' for i in range(150_000))}>text</div>{PROSE}",
    "attributes in quotes of a comment": (
        f'<!--> <div x="<!--" {" ".join(f"a{i}" for i in range(100_000))}>text</div>{PROSE}'
    ),
    "tags that never end": "<a " * 1_000_000,
    "names that never end": ("<a" + "b" * 3_000) * 1_000,
    "quotes that never end": ("<a " * 30 + ">") * 30_000 + 'x="',
    "depth": "<div>" * 200_000 + "text",
    "headings in headings": ("<h1>" * 200 + "t" + "</h1>" * 200) * 200,
    "authors in authors": "<div itemprop=author>" * 200 + "<i itemprop=name>x</i>" * 40_000,
    "articles": "<article><time datetime=x>a</time><p>word</p></article>" * 8_000,
    "links": '<a href="x">a</a> ' * 12_000,
    "one table": "<table>" + "<tr><td>a b c<td>d</tr>" * 8_000 + "</table>",
    "tables in tables": ("<table><tr><td>" * 80 + "x" + "</table>" * 80) * 25,
    "full stops": "<p>" + "." * 2_000_000,
    "stops and quotes": "<p>" + '."' * 1_000_000,
    "accents": "<p>a" + "\u0301\u0316" * 300_000,
    "blanks": "<p>a" + " " * 2_000_000 + "b",
    "open brackets": f'<script type="application/ld+json">{"[" * 900_000}</script>{PROSE}',
    "references to themselves": (
        '<script type="application/ld+json">['
        + ",".join(['{"@type":"Article","@id":"x","author":{"@id":"x"}}'] * 1_900)
        + f"]</script>{PROSE}"
    ),
}


@pytest.mark.parametrize("markup", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_is_read_or_refused_in_seconds(markup: str) -> None:
    try:
        page = read(markup.encode(), "text/html", "utf-8", "https://example.org/")
    except PageUnreadable:
        return
    assert split(page)


CONTROLS = ["\x01", "\x0b", "\x0c", "\x1c", "\x1f", "\ufffe", "\uffff"]


@pytest.mark.parametrize("control", [*CONTROLS, *(f"&#{ord(c)};" for c in CONTROLS)], ids=ascii)
def test_a_character_that_lxml_refuses_to_set_does_not_hinder_reading(control: str) -> None:
    menu = f'<nav>{control}menu</nav>{control}after the menu<div class="share">x</div>{control}'
    page = read(f"{PROSE}{menu}{PROSE}".encode(), "text/html", "utf-8", "https://example.org/")
    assert "after the menu" in page.text


def test_what_stands_between_menus_stays() -> None:
    page = read(
        f"{PROSE}<nav>menu</nav>one<nav>menu</nav>two{PROSE}".encode(),
        "text/html",
        "utf-8",
        "https://example.org/",
    )
    assert "onetwo" in page.text.replace(" ", "")
    assert "menu" not in page.text


def test_an_element_with_an_impossible_name_does_not_hinder_reading() -> None:
    markup = f"{PROSE}<p>Owls <a():< weigh <dash;480 grams.</p>{PROSE}"
    assert "Owls" in read(markup.encode(), "text/html", "utf-8", "https://example.org/").text


def test_a_heading_longer_than_a_heading_is_heads_nothing() -> None:
    markup = f"<h1>Owls</h1>{PROSE}<h2>{'words ' * 40}</h2>{PROSE}"
    page = read(markup.encode(), "text/html", "utf-8", "https://example.org/")
    assert [heading.text for heading in page.headings] == ["Owls"]
    assert "words words" in page.text


def test_a_page_of_too_many_elements_is_refused() -> None:
    with pytest.raises(PageUnreadable, match="too_large"):
        parse("<br>" * 100_001)


def test_a_tag_with_forty_attributes_loses_them_and_its_text_stays() -> None:
    crowded = parse(f'<p id="x" {" ".join(f"a{i}" for i in range(40))}>text</p>').find(".//p")
    assert crowded.text == "text"
    assert not crowded.attrib


def test_a_tag_with_fewer_keeps_them() -> None:
    element = parse('<p title="a > b" ' + " ".join(f"a{i}" for i in range(30)) + ">text</p>")
    assert element.find(".//p").get("title") == "a > b"
