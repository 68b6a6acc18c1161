"""What a child answers is believed in its form only, and its form is checked."""

from typing import Any

import orjson
import pytest

from app.engine.pages.page import PageUnreadable
from app.engine.pages.site.sitemap import read_sitemap
from app.engine.sandbox import answers
from app.engine.sandbox.answers import Malformed
from app.engine.sandbox.documents import Document
from app.engine.sandbox.prepare import read_document

MARKUP = (
    "<html lang=en><head><title>Owls</title><meta name=date content=2020-01-02></head><body>"
    "<h1>Owls</h1><p>They hunt at night, <a href='/b'>all</a> of them.</p><pre>owl()</pre></body>"
)
READING = read_document(Document(MARKUP.encode(), "text/html", "utf-8", "https://example.org/a"))


def answer() -> dict[str, Any]:
    """A good one."""
    plain: dict[str, Any] = orjson.loads(orjson.dumps({"reading": READING}))
    return plain


def test_what_a_page_says_of_itself_turns_no_text_beside_it() -> None:
    title = "a \u202emoc.elpmaxe\u2066 \u200bcafe\u0301"
    markup = f"<title>{title}</title><meta name=author content='Ada\u202e Owl'><p>Owls hunt.</p>"
    page = read_document(
        Document(markup.encode(), "text/html", "utf-8", "https://example.org/a")
    ).page
    assert (page.title, page.author) == ("a moc.elpmaxe caf\u00e9", "Ada Owl")


def test_a_reading_survives_the_way() -> None:
    assert answers.page_reading(answer()) == READING


def test_a_page_with_an_endless_address_survives_without_it() -> None:
    links = f"<a href='/share?{'漢' * 1_500}'>all</a> of <a href='/{'漢' * 200}'>them</a>"
    markup = f"<link rel=canonical href='/{'а' * 180}'><p>They hunt at night, {links}.</p>"
    document = Document(markup.encode(), "text/html", "utf-8", "https://example.org/a")
    page = answers.page_reading(
        orjson.loads(orjson.dumps({"reading": read_document(document)}))
    ).page
    assert page.links == (f"https://example.org/{'%E6%BC%A2' * 200}",)
    assert page.canonical_url == f"https://example.org/{'%D0%B0' * 180}"


def test_a_sitemap_survives_the_way() -> None:
    body = b"<urlset><url><loc>https://e.org/a</loc><lastmod>2020-01-02</lastmod></url></urlset>"
    sitemap = read_sitemap(body, "https://e.org/sitemap.xml")
    assert answers.sitemap(orjson.loads(orjson.dumps({"sitemap": sitemap}))) == sitemap


def test_a_refusal_is_raised() -> None:
    with pytest.raises(PageUnreadable, match="encrypted"):
        answers.page_reading({"unreadable": "encrypted"})


@pytest.mark.parametrize(
    "whole",
    [None, [], "text", {}, {"reading": None}, {"reading": []}, {"unreadable": "for fun"}],
    ids=str,
)
def test_what_is_no_answer_is_malformed(whole: object) -> None:
    with pytest.raises(Malformed):
        answers.page_reading(whole)


FORGED: list[tuple[str, str, object]] = [
    ("", "simhash", "zz"), ("", "simhash", 5), ("", "passages", {}), ("", "terms", [["a"]] * 2),
    ("", "terms", [["a\0"]]), ("", "terms", [["x" * 65]]), ("", "terms", [[7]]),
    ("", "passages", [{"start": 0, "end": 10**9, "heading_path": [], "ordinal": 0}]),
    ("", "passages", [{"start": 5, "end": 2, "heading_path": [], "ordinal": 0}]),
    ("", "passages", [{"start": True, "end": 2, "heading_path": [], "ordinal": 0}]),
    ("", "passages", [{"start": 0, "end": 2, "heading_path": [], "ordinal": 4}]),
    ("", "passages", [{"start": 0, "end": 2, "heading_path": "ab", "ordinal": 0}]),
    ("page", "text", None), ("page", "text", "a\0b"), ("page", "title", 5),
    ("page", "title", "x" * 20_000),
    ("page", "headings", [{"start": 0, "level": 301, "text": "a"}]),
    ("page", "code", [[0, 10**9]]), ("page", "code", [[0]]), ("page", "links", [None]),
    ("page", "published", {"at": "2020-01-02", "precision": "day", "source": "url"}),
    ("page", "published", {"at": "soon", "precision": "day", "source": "url"}),
    ("page", "noindex", "yes"), ("page", "main_text_ratio", 7.5), ("page", "contact", 1),
    ("page", "blocked", "moat"), ("page", "pages", None), ("page", "pages", [5, 2]),
    ("page", "pages", [10**9]), ("page", "pages", [0] * 2_001),
]  # fmt: skip


@pytest.mark.parametrize(("part", "name", "value"), FORGED, ids=lambda x: str(x)[:40])
def test_a_forged_part_makes_the_answer_malformed(part: str, name: str, value: object) -> None:
    whole = answer()
    place = whole["reading"][part] if part else whole["reading"]
    place[name] = value
    with pytest.raises(Malformed):
        answers.page_reading(whole)
