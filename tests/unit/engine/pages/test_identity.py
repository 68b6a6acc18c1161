"""Whom a page names, and how somebody may be reached."""

import pytest

from app.engine.pages.formats.html import read_html
from app.engine.pages.page import Page

PROSE = "<p>A paragraph of prose about owls and their young, long enough to be read by anybody.</p>"


def read(body: str = "", head: str = "") -> Page:
    markup = f"<html><head>{head}</head><body>{PROSE}{body}</body></html>"
    return read_html(markup, "https://example.org/page")


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/about-us/">who</a>',
        '<a href="/de/Impressum.html">x</a>',
        '<a href="https://example.org/%C3%BCber-uns">x</a>',
        '<a href="/x"> Kontakt </a>',
        '<a href="/x">À propos</a>',
        '<a href="mailto:owl@example.org">x</a>',
        '<a href="/x">关于我们</a>',
    ],
)
def test_a_link_to_who_is_behind_it_is_seen(link: str) -> None:
    assert read(link).contact is True


@pytest.mark.parametrize(
    "link",
    ['<a href="/about-owls">x</a>', '<a href="/sobre">x</a>', '<a name="contact">x</a>', ""],
)
def test_other_links_are_not_taken_for_one(link: str) -> None:
    assert read(link).contact is False


def test_the_publisher_of_structured_data_is_named() -> None:
    data = '{"@type": "Article", "publisher": {"@type": "Organization", "name": "The Owl Trust"}}'
    head = f'<script type="application/ld+json">{data}</script>'
    assert read(head=head).publisher == "The Owl Trust"


def test_an_organisation_that_is_described_is_the_publisher() -> None:
    head = (
        '<script type="application/ld+json">'
        '{"@graph": [{"@type": ["NewsMediaOrganization"], "name": "Owl News"}]}</script>'
    )
    assert read(head=head).publisher == "Owl News"


def test_a_page_may_name_nobody() -> None:
    assert read().publisher is None
