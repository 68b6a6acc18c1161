"""Read an EPUB: its chapters in their order, as one page."""

import posixpath
from collections.abc import Iterator
from html import escape
from urllib.parse import unquote

from lxml.etree import _Element
from lxml.html import Element, HtmlElement

from app.engine.pages.blocks.canonical import lay_out
from app.engine.pages.blocks.walk import blocks_of
from app.engine.pages.facts.dates import stated_date
from app.engine.pages.facts.language import language_of
from app.engine.pages.formats.encoding import decode
from app.engine.pages.formats.html import parse
from app.engine.pages.formats.package import Package, tree
from app.engine.pages.formats.sizes import MOST_TEXT_BYTES
from app.engine.pages.page import Page, PageUnreadable, PublicationDate, Unreadable
from app.engine.text.scripts import primary_language

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_NAMES = {
    "container": "urn:oasis:names:tc:opendocument:xmlns:container",
    "enc": "http://www.w3.org/2001/04/xmlenc#",
    "opf": "http://www.idpf.org/2007/opf",
    "dc": "http://purl.org/dc/elements/1.1/",
}
_CHAPTER_TYPES = frozenset({"application/xhtml+xml", "text/html"})
_MOST_ELEMENTS = 400_000


def read_epub(body: bytes) -> Page:
    """The page in `body`. Raises PageUnreadable: DAMAGED, ENCRYPTED, TOO_LARGE, EMPTY."""
    book = _Book(Package(body))
    layout = lay_out(blocks_of(book.content()))
    if not layout.text:
        raise PageUnreadable(Unreadable.EMPTY)
    dated = stated_date(book.stated("date") or "")
    return Page(
        text=layout.text,
        title=book.stated("title"),
        headings=layout.headings,
        code=layout.code,
        language=language_of(layout.text, primary_language(book.stated("language")) or None),
        published=PublicationDate(dated.at, dated.precision, "epub") if dated else None,
        author=book.stated("creator"),
        publisher=book.stated("publisher"),
    )


class _Book:
    def __init__(self, package: Package) -> None:
        self._package = package
        container = self._xml(_CONTAINER)
        rootfile = container.find(".//container:rootfile", _NAMES)
        self._path = rootfile.get("full-path", "") if rootfile is not None else ""
        self._opf = self._xml(self._path)

    def stated(self, name: str) -> str | None:
        found = self._opf.find(f"opf:metadata/dc:{name}", _NAMES)
        return (found.text or "").strip() or None if found is not None else None

    def content(self) -> HtmlElement:
        whole = Element("div")
        elements = 0
        for body in self._bodies():
            elements += sum(1 for _ in body.iter())
            if elements > _MOST_ELEMENTS:
                raise PageUnreadable(Unreadable.TOO_LARGE)
            body.tag = "section"
            whole.append(body)
        return whole

    def _bodies(self) -> Iterator[HtmlElement]:
        encrypted = self._encrypted()
        for name in dict.fromkeys(self._chapters()):
            if name in encrypted:
                raise PageUnreadable(Unreadable.ENCRYPTED)
            part = self._package.part(name)
            if part is None or not part.strip():
                continue
            if len(part) > MOST_TEXT_BYTES:
                raise PageUnreadable(Unreadable.TOO_LARGE)
            body = parse(_without_cdata(decode(part, None, markup=True))).find("body")
            if body is not None:
                yield body

    def _chapters(self) -> Iterator[str]:
        """The names of chapters in the order of reading, without the table of contents."""
        folder = posixpath.dirname(self._path)
        items = {
            item.get("id"): item
            for item in self._opf.iterfind("opf:manifest/opf:item", _NAMES)
            if item.get("media-type") in _CHAPTER_TYPES
            and "nav" not in (item.get("properties") or "").split()
        }
        for reference in self._opf.iterfind("opf:spine/opf:itemref", _NAMES):
            item = items.get(reference.get("idref"))
            if item is not None:
                yield _joined(folder, item.get("href") or "")

    def _encrypted(self) -> set[str]:
        """The names of encrypted parts; of many books these are fonts alone."""
        part = self._package.xml(_ENCRYPTION)
        if part is None:
            return set()
        references = tree(part).iterfind(".//enc:CipherReference", _NAMES)
        return {_joined("", reference.get("URI") or "") for reference in references}

    def _xml(self, name: str) -> _Element:
        part = self._package.xml(name)
        if part is None:
            raise PageUnreadable(Unreadable.DAMAGED)
        return tree(part)


def _without_cdata(markup: str) -> str:
    """The same text in signs of HTML, which knows no CDATA sections."""
    first, *others = markup.split("<![CDATA[")
    sections = (other.partition("]]>") for other in others)
    return first + "".join(escape(text) + following for text, _, following in sections)


def _joined(folder: str, href: str) -> str:
    """The name of a part that a reference leads to, which is only ever looked up."""
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))
