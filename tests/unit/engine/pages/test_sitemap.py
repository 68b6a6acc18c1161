"""Sitemaps in all their forms, and those that are refused."""

import gzip

import pytest

from app.engine.pages.site.sitemap import MOST_BYTES, SitemapUnreadable, read_sitemap

URL = "https://example.org/sitemap.xml"
URLSET = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.org/a?x=1&amp;y=2#part</loc><lastmod>2024-05-06</lastmod></url>
<url><loc> https://example.org/b </loc></url><url><loc>javascript:x</loc></url></urlset>"""
READ = ("https://example.org/a?x=1&y=2", "https://example.org/b")


def test_a_url_set_gives_addresses() -> None:
    assert read_sitemap(URLSET, URL).urls == READ


def test_a_compressed_url_set_reads_the_same() -> None:
    assert read_sitemap(gzip.compress(URLSET), URL).urls == READ


def test_an_index_gives_children() -> None:
    body = b"<sitemapindex><sitemap><loc>https://example.org/2.xml</loc></sitemap></sitemapindex>"
    assert read_sitemap(body, URL).children == ("https://example.org/2.xml",)


@pytest.mark.parametrize(
    "feed",
    [
        b"<rss><channel><link>/</link><item><title>A</title><link>/a?x=1&amp;y=2</link>"
        b"<pubDate>Mon, 06 May 2024 00:00:00 GMT</pubDate></item>"
        b"<item><link>/b</link></item></channel></rss>",
        b"<feed xmlns='http://www.w3.org/2005/Atom'><link href='/'/>"
        b"<entry><link rel='edit' href='/c'/><link href='/a?x=1&amp;y=2'/>"
        b"<updated>2024-05-06T00:00:00Z</updated></entry>"
        b"<entry><link rel='alternate' href='/b'/></entry></feed>",
    ],
)
def test_a_feed_lists_the_pages_of_its_entries(feed: bytes) -> None:
    assert read_sitemap(feed, URL).urls == READ


def test_a_text_sitemap_has_one_address_a_line() -> None:
    body = b"\xef\xbb\xbfhttps://example.org/a\r\nnonsense\r\nhttps://example.org/b\r\n"
    assert read_sitemap(body, URL).urls == ("https://example.org/a", "https://example.org/b")


def test_a_sitemap_cut_off_keeps_what_came_before() -> None:
    assert read_sitemap(URLSET[: URLSET.index(b"javascript")], URL).urls == READ


def test_no_more_addresses_are_read_than_a_sitemap_may_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.engine.pages.site.sitemap.MOST_URLS", 500)
    body = b"<urlset>" + b"<url><loc>https://e.org/</loc></url>" * 505 + b"</urlset>"
    assert len(read_sitemap(body, URL).urls) == 500


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE urlset [<!ENTITY a "aaaa">]><urlset><url><loc>&a;</loc></url></urlset>',
        b"<urlset><url><loc>https://e.org/" + b"a" * MOST_BYTES + b"</loc></url></urlset>",
        gzip.compress(b"<urlset>" + b" " * (MOST_BYTES + 1)),
        b"\x1f\x8bnot gzip",
        b"<not closed",
        b"Not found",
    ],
    ids=["entities", "too large", "bomb", "broken gzip", "broken xml", "no addresses"],
)
def test_is_refused(body: bytes) -> None:
    with pytest.raises(SitemapUnreadable):
        read_sitemap(body, URL)


def test_an_item_of_rss_keeps_its_link_beside_an_empty_one_of_atom() -> None:
    body = (
        b'<rss xmlns:a="http://www.w3.org/2005/Atom"><channel><item>'
        b'<link>https://example.org/a</link><a:link rel="self" href="https://example.org/a.rss"/>'
        b"</item></channel></rss>"
    )
    assert read_sitemap(body, URL).urls == ("https://example.org/a",)
