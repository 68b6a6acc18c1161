"""Read sitemaps: XML url sets and indexes, RSS and Atom feeds, lists of plain text, and gzip of
these (sitemaps.org).
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from lxml import etree

from app.engine.pages.facts.dates import stated_date
from app.engine.pages.facts.links import absolute

MOST_URLS = 50_000
MOST_BYTES = 10 * 1024 * 1024
_GZIP = b"\x1f\x8b"
# Of sitemaps, of RSS and of Atom.
_ENTRIES = frozenset(("url", "sitemap", "item", "entry"))
_DATES = ("lastmod", "updated", "pubDate")


class SitemapUnreadable(Exception):
    """The sitemap is larger than 10 MiB, declares entities, or is neither XML nor addresses."""


@dataclass(frozen=True, slots=True)
class SitemapUrl:
    """An http(s) address and when it is said to have changed (aware UTC), if that is said."""

    url: str
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The pages a sitemap lists, and the sitemaps it points to; together at most 50,000."""

    urls: tuple[SitemapUrl, ...] = ()
    children: tuple[SitemapUrl, ...] = ()


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap found at `url`. What is broken after a good beginning is left out.

    Raises SitemapUnreadable.
    """
    body = _inflated(body) if body.startswith(_GZIP) else body
    if len(body) > MOST_BYTES:
        raise SitemapUnreadable
    body = body.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not body.startswith(b"<"):
        return _plain(body, url)
    if b"<!DOCTYPE" in body[:4_096].upper() or b"<!ENTITY" in body.upper():
        raise SitemapUnreadable
    return _xml(body, url)


def _inflated(body: bytes) -> bytes:
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        return stream.decompress(body, MOST_BYTES + 1)
    except zlib.error as error:
        raise SitemapUnreadable from error


def _plain(body: bytes, base: str) -> Sitemap:
    lines = body.decode("utf-8", "replace").split("\n", MOST_URLS)[:MOST_URLS]
    urls = [
        SitemapUrl(link)
        for line in lines
        if line.strip().startswith(("http://", "https://")) and (link := absolute(line, base))
    ]
    if not urls and body:
        raise SitemapUnreadable
    return Sitemap(tuple(urls))


def _xml(body: bytes, base: str) -> Sitemap:
    urls: list[SitemapUrl] = []
    children: list[SitemapUrl] = []
    started = False
    try:
        for element in _entries(body):
            started = True
            entry = _entry(element, base)
            if entry is not None:
                (children if _local(element) == "sitemap" else urls).append(entry)
            element.clear()
            if len(urls) + len(children) >= MOST_URLS:
                break
    except etree.XMLSyntaxError as error:
        if not started:
            raise SitemapUnreadable from error
    return Sitemap(tuple(urls), tuple(children))


def _entries(body: bytes) -> Iterator[etree._Element]:
    """Each entry when it is complete. No entity is resolved, nothing is loaded."""
    for _, element in etree.iterparse(
        BytesIO(body),
        events=("end",),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    ):
        if _local(element) in _ENTRIES:
            yield element


def _entry(element: etree._Element, base: str) -> SitemapUrl | None:
    values: dict[str, str] = {}
    for child in element:  # a feed may have links of Atom beside its own, which are empty
        if text := (child.text or "").strip():
            values.setdefault(_local(child), text)
    link = absolute(values.get("loc") or values.get("link") or _atom_link(element), base)
    dated = stated_date(next((values[name] for name in _DATES if name in values), ""))
    return SitemapUrl(link, dated.at if dated else None) if link else None


def _atom_link(element: etree._Element) -> str:
    """The page of an entry of Atom: the link that says nothing else of itself (RFC 4287)."""
    for child in element:
        if _local(child) == "link" and child.get("rel", "alternate") == "alternate":
            return child.get("href", "")
    return ""


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
