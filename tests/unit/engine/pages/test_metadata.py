"""What a page says about itself, and whom to believe."""

from datetime import UTC, datetime

import pytest

from app.engine.pages.formats.html import read_html
from app.engine.pages.page import Page

URL = "https://www.example.org/2020/02/03/story"
BODY = "<p>Some text of the page.</p>"


def read(head: str = "", body: str = BODY, url: str = URL, robots_tag: str | None = None) -> Page:
    return read_html(f"<html><head>{head}</head><body>{body}</body></html>", url, robots_tag)


def ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


ARTICLE = ld(
    '{"@graph": [{"@type": "WebPage", "name": "Other"},'
    '{"@type": "NewsArticle", "headline": "The Head", "datePublished": "2021-05-06T07:08:09+02:00",'
    '"author": {"@id": "#ann"}, "publisher": {"@type": "Organization", "name": "The Paper"},},'
    '{"@type": "Person", "@id": "#ann", "name": "Ann Author"}]}'
)


def test_json_ld_is_read_through_graphs_references_and_trailing_commas() -> None:
    page = read(ARTICLE)
    assert (page.title, page.author, page.site_name) == ("The Head", "Ann Author", "The Paper")


@pytest.mark.parametrize(
    "wrapped",
    [
        "<!-- {} -->",
        "//<![CDATA[\n{}\n//]]>",
        "<![CDATA[{}]]>",
        " // <![CDATA[ {} // ]]> ;",
        "{};",
    ],
)
def test_json_ld_is_read_out_of_comments_and_cdata_sections(wrapped: str) -> None:
    node = '{"@type": "Article", "headline": "The Head"}'
    assert read(ld(wrapped.replace("{}", node))).title == "The Head"


def test_json_ld_outranks_meta_in_dates() -> None:
    page = read('<meta property="article:published_time" content="2019-01-01">' + ARTICLE)
    assert page.published_at == datetime(2021, 5, 6, 5, 8, 9, tzinfo=UTC)
    assert (page.published_source, page.published_precision) == ("json-ld", "second")


@pytest.mark.parametrize(
    ("head", "body", "source", "day", "precision"),
    [
        ('<meta name="date" content="2019-04">', BODY, "meta", (2019, 4, 1), "month"),
        ('<meta name="dc.date" content="May 3, 2018">', BODY, "meta", (2018, 5, 3), "day"),
        ("", '<article><time datetime="2017-06-07">x</time><p>y</p></article>', "time",
         (2017, 6, 7), "day"),
        ('<meta name="date" content="05/04/2021">', BODY, "url", (2020, 2, 3), "day"),
        ("", BODY, "url", (2020, 2, 3), "day"),
    ],
)  # fmt: skip
def test_the_best_stated_date_wins(
    head: str, body: str, source: str, day: tuple[int, int, int], precision: str
) -> None:
    page = read(head, body)
    assert page.published_at == datetime(*day, tzinfo=UTC)
    assert (page.published_source, page.published_precision) == (source, precision)


def test_a_page_without_a_date_has_none() -> None:
    assert read(url="https://www.example.org/v2/10/items").published is None


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>json — Encoder — Python documentation</title>", "<h1>json — Encoder¶</h1>" + BODY,
         "json — Encoder"),
        ("<title>Story | Example</title>", BODY, "Story"),
        ('<title>Story - Paper</title><meta property="og:site_name" content="Paper">', BODY,
         "Story"),
        ("<title>One - Two</title>", BODY, "One - Two"),
        ("<title>Page</title>", "<h1>Logo of the site</h1>" + BODY, "Page"),
        ("", "<h1>Only\n heading</h1>" + BODY, "Only heading"),
        ("", BODY, None),
    ],
)  # fmt: skip
def test_the_title_is_the_pages_own(head: str, body: str, title: str | None) -> None:
    assert read(head, body).title == title


@pytest.mark.parametrize(
    ("head", "author"),
    [
        ('<meta name="author" content="By Jane Doe">', "Jane Doe"),
        ('<meta name="author" content="https://example.org/jane">', None),
        (ld("{"), None),
        (ld('"x"'), None),
        (ld('{"@type": 5}'), None),
        (ld('{"@type": "Article", "author": [[["x"]]]}'), None),
        (ld('{"@type": "Article", "@id": "#a", "author": {"@id": "#a"}}'), None),
    ],
)
def test_the_author_is_a_name_that_is_stated_in_order(head: str, author: str | None) -> None:
    assert read(head).author == author


def test_the_canonical_address_is_absolute() -> None:
    assert read('<link rel="canonical" href="/story#x">').canonical_url == (
        "https://www.example.org/story"
    )


@pytest.mark.parametrize(
    ("meta", "header", "flags"),
    [
        ("noindex, follow", None, (True, False)),
        ("none", None, (True, True)),
        ("index", "nofollow", (False, True)),
        ("", "noindex, nofollow", (True, True)),
        ("", "otherbot: noindex", (False, False)),
        ("all", None, (False, False)),
    ],
)
def test_robots_directives_come_from_page_and_header(
    meta: str, header: str | None, flags: tuple[bool, bool]
) -> None:
    page = read(f'<meta name="robots" content="{meta}">', robots_tag=header)
    assert (page.noindex, page.nofollow) == flags
