"""Pages made to hinder a reader are read, or refused; `sandbox/test_growth.py` asks their cost."""

import pytest

from app.engine.pages.formats.html import parse
from app.engine.pages.page import Page, PageUnreadable
from app.engine.pages.read import read

PROSE = "<p>A paragraph of prose about owls and their young, long enough to be read.</p>" * 5


def html(markup: str) -> Page:
    return read(markup.encode(), "text/html", "utf-8", "https://example.org/")


CONTROLS = ["\x01", "\x0b", "\x0c", "\x1c", "\x1f", "\ufffe", "\uffff"]


@pytest.mark.parametrize("control", [*CONTROLS, *(f"&#{ord(c)};" for c in CONTROLS)], ids=ascii)
def test_a_character_that_lxml_refuses_to_set_does_not_hinder_reading(control: str) -> None:
    menu = f'<nav>{control}menu</nav>{control}after the menu<div class="share">x</div>{control}'
    assert "after the menu" in html(f"{PROSE}{menu}{PROSE}").text


def test_what_stands_between_menus_stays() -> None:
    page = html(f"{PROSE}<nav>menu</nav>one<nav>menu</nav>two{PROSE}")
    assert "onetwo" in page.text.replace(" ", "")
    assert "menu" not in page.text


def test_an_element_with_an_impossible_name_does_not_hinder_reading() -> None:
    markup = f"{PROSE}<p>Owls <a():< weigh <dash;480 grams.</p>{PROSE}"
    assert "Owls" in html(markup).text


def test_a_heading_longer_than_a_heading_is_heads_nothing() -> None:
    markup = f"<h1>Owls</h1>{PROSE}<h2>{'words ' * 40}</h2>{PROSE}"
    page = html(markup)
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
