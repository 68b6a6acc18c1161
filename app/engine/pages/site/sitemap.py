"""Sitemaps: XML, RSS and Atom, lists of plain text, and gzip of these (sitemaps.org)."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

from lxml import etree

from app.engine.pages.facts.links import absolute

MOST_URLS = 50_000
MOST_BYTES = 10 * 1024 * 1024
_GZIP = b"\x1f\x8b"
# Of sitemaps, of RSS and of Atom.
_ENTRIES = frozenset(("url", "sitemap", "item", "entry"))


class SitemapUnreadable(Exception):
    """The sitemap is larger than 10 MiB, declares entities, or is neither XML nor addresses."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The http(s) addresses and the sitemaps that one lists: at most 50,000 together."""

    urls: tuple[str, ...] = ()
    children: tuple[str, ...] = ()


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap found at `url`, up to where it is broken. Raises SitemapUnreadable."""
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
        link
        for line in lines
        if line.strip().startswith(("http://", "https://")) and (link := absolute(line, base))
    ]
    if not urls and body:
        raise SitemapUnreadable
    return Sitemap(tuple(urls))


def _xml(body: bytes, base: str) -> Sitemap:
    urls: list[str] = []
    children: list[str] = []
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


def _entry(element: etree._Element, base: str) -> str | None:
    values: dict[str, str] = {}
    for child in element:  # a feed may have links of Atom beside its own, which are empty
        if text := (child.text or "").strip():
            values.setdefault(_local(child), text)
    return absolute(values.get("loc") or values.get("link") or _atom_link(element), base)


def _atom_link(element: etree._Element) -> str:
    """The page of an entry of Atom: the link that says nothing else of itself (RFC 4287)."""
    for child in element:
        if _local(child) == "link" and child.get("rel", "alternate") == "alternate":
            return child.get("href", "")
    return ""


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
