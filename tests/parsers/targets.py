"""Each parser as a fuzzer sees it: bytes to begin with, and what must hold for any others."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.core import untrusted_json
from app.domains.money.payments import wire
from app.engine.extraction.schema.schema import SchemaRefused, plan
from app.engine.fetch import Fetcher, FetchFailed, FetchPolicy, Robots, parse
from app.engine.fetch.robots import MAX_BYTES, MemoryCache
from app.engine.images import avatar, pixels
from app.engine.images.refusal import ImageRefused
from app.engine.pages.page import Page, PageUnreadable
from app.engine.pages.passages import split
from app.engine.pages.read import read
from app.engine.pages.site.sitemap import MOST_URLS, SitemapUnreadable, read_sitemap
from tests.parsers import seeds
from tests.unit.engine.pages import packages

ADDRESS: Final = "https://site.example.org/a/b?c=d"
POLICY: Final = FetchPolicy()
SITE: Final = parse(ADDRESS, POLICY)
CACHE: Final = MemoryCache()
ROBOTS: Final = Robots(Fetcher(POLICY), CACHE)


@dataclass(frozen=True, slots=True)
class Target:
    """`parse` raises an AssertionError, or anything that is no refusal, for a defect."""

    parse: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def url(data: bytes) -> None:
    """What passes is canonical: reading it again changes nothing, and it goes nowhere private."""
    try:
        target = parse(_text(data), POLICY)
    except FetchFailed:
        return
    assert parse(target.url, POLICY) == target
    assert target.host == target.host.lower()
    assert target.host.isascii()


def data_url(data: bytes) -> None:
    try:
        media_type, content = avatar.content(_text(data))
        public = pixels.public_copy(content, media_type)
    except ImageRefused:
        return
    assert public[8:12] == b"WEBP"


def json_body(data: bytes) -> None:
    try:
        value = untrusted_json.loads(data)
    except ValueError:
        return
    assert untrusted_json.nesting(json.dumps(value)) <= untrusted_json.MOST_NESTING


def html(data: bytes) -> None:
    _page(data, "text/html")


def pdf(data: bytes) -> None:
    _page(data, "application/pdf")


def markdown(data: bytes) -> None:
    _page(data, "text/markdown")


def docx(data: bytes) -> None:
    """The part that is the document: what packs it is the business of others."""
    _page(packages.package({"word/document.xml": data}), packages.DOCX)


def package(data: bytes) -> None:
    _page(data, packages.EPUB)


def csv(data: bytes) -> None:
    _page(data, "text/csv")


def _page(data: bytes, media_type: str) -> None:
    """Passages are the text in its order, without white space between them, and can be stored."""
    try:
        page: Page = read(data, media_type, None, ADDRESS)
    except PageUnreadable:
        return
    page.text.encode()
    ends = 0
    for passage in split(page):
        assert ends <= passage.start < passage.end <= len(page.text)
        assert not page.text[ends : passage.start].strip()
        ends = passage.end
    assert not page.text[ends:].strip()


def x402_header(data: bytes) -> None:
    try:
        offer = wire.read(data.decode("latin-1"))
    except wire.PaymentMalformed:
        return
    assert len(offer.payer) == 42
    assert len(offer.nonce) == 66


def x402_payment(data: bytes) -> None:
    """The same behind its base64, which hides from a fuzzer what it changes."""
    x402_header(base64.b64encode(data))


def json_schema(data: bytes) -> None:
    try:
        schema = untrusted_json.loads(data)
    except ValueError:
        return
    try:
        planned = plan(schema)
    except SchemaRefused:
        return
    assert plan(planned.schema).canonical == planned.canonical


def robots(data: bytes) -> None:
    CACHE.put(SITE.origin, data[:MAX_BYTES].decode("utf-8-sig", "replace"), 60)
    rules = ROBOTS.cached_rules(SITE)
    assert rules is not None
    rules.allow(SITE)
    assert 0 <= rules.crawl_delay_seconds <= 60
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)


def sitemap(data: bytes) -> None:
    try:
        listed = read_sitemap(data, ADDRESS)
    except SitemapUnreadable:
        return
    assert len(listed.urls) + len(listed.children) <= MOST_URLS
    for address in (*listed.urls, *listed.children):
        assert address.startswith(("http://", "https://"))


TARGETS: Final = {
    "url": Target(url, seeds.URLS),
    "data-url": Target(data_url, seeds.DATA_URLS),
    "json-body": Target(json_body, seeds.JSON),
    "html": Target(html, seeds.HTML),
    "pdf": Target(pdf, seeds.PDFS),
    "markdown": Target(markdown, seeds.MARKDOWN),
    "docx": Target(docx, seeds.DOCX),
    "package": Target(package, seeds.PACKAGES),
    "csv": Target(csv, seeds.CSV),
    "x402-header": Target(x402_header, seeds.PAYMENT_HEADERS),
    "x402-payment": Target(x402_payment, seeds.PAYMENTS),
    "json-schema": Target(json_schema, seeds.SCHEMAS),
    "robots": Target(robots, seeds.ROBOTS),
    "sitemap": Target(sitemap, seeds.SITEMAPS),
}
