"""The bar at the top: its sections, and the box that finds what has an identifier."""

import re

import pytest
from flask import Flask

from app.core import ids
from app.core.ids import Noun
from tests.visiting import Visitor


def links(page: str, label: str) -> list[str]:
    """The texts of the first menu with this label."""
    [menu] = re.findall(rf'<nav [^>]*aria-label="{label}">(.*?)</nav>', page, re.DOTALL)[:1]
    return re.findall(r"<a [^>]*>([^<]+)</a>", menu)


def test_the_bar_has_six_entries(browser: Visitor) -> None:
    bar = links(browser.get("/").text, "Main")
    assert bar == ["Ask", "Data", "Campaigns", "Market", "Developers", "Billing"]


def test_the_pages_of_a_section_stand_under_the_bar(browser: Visitor) -> None:
    assert links(browser.get("/monitors").text, "Data") == ["Extractions", "Monitors", "Workflows"]


def test_a_stranger_sees_what_is_public(site: Flask) -> None:
    assert links(Visitor(site, None).get("/").text, "Main") == ["Ask", "Offers", "API"]


@pytest.mark.parametrize(
    ("noun", "page"),
    [
        (Noun.SEARCH, "/searches"),
        (Noun.JOB, "/extractions"),
        (Noun.REQUEST, "/requests"),
        (Noun.CORPUS, "/documents"),
    ],
)
def test_an_identifier_leads_to_its_page(browser: Visitor, noun: Noun, page: str) -> None:
    id = ids.public(noun, ids.new())
    assert browser.get(f"/find?id=+{id}+").headers["Location"] == f"{page}/{id}"


def test_other_text_is_looked_for_among_the_searches(browser: Visitor) -> None:
    found = browser.get("/find?id=barn+owl%26status=x").headers["Location"]
    assert found == "/searches?contains=barn+owl%26status%3Dx"


def test_an_address_in_the_box_leads_nowhere_else(browser: Visitor) -> None:
    found = browser.get("/find?id=//evil.example").headers["Location"]
    assert found == "/searches?contains=%2F%2Fevil.example"
