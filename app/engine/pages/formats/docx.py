"""Read a DOCX: its paragraphs, headings, lists and tables, by way of mammoth's HTML."""

import re
import zipfile
from io import BytesIO

import mammoth
from lxml import etree

from app.engine.pages.blocks.canonical import lay_out
from app.engine.pages.blocks.walk import blocks_of
from app.engine.pages.facts.dates import stated_date
from app.engine.pages.facts.language import language_of
from app.engine.pages.facts.links import links_of
from app.engine.pages.formats.html import parse
from app.engine.pages.formats.package import Package, tree
from app.engine.pages.page import Page, PageUnreadable, PublicationDate, Unreadable

_XML = (".xml", ".rels")
_CORE = "docProps/core.xml"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = ("0", "false", "off")
_AROUND = ("fldSimple", "dir", "bdo", "ruby", "rubyBase")
_ALTERED = re.compile(rb"vanish|fldSimple|:dir\b|:bdo\b|rubyBase")
_CORE_NAMES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
}


def read_docx(body: bytes, url: str) -> Page:
    """The page in `body`. Raises PageUnreadable: DAMAGED, ENCRYPTED, TOO_LARGE, EMPTY."""
    package = Package(body)
    parts = {name: package.xml(name) or b"" for name in package.names if name.endswith(_XML)}
    markup = _html(parts)
    if not markup.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    root = parse(markup)
    layout = lay_out(blocks_of(root))
    if not layout.text:
        raise PageUnreadable(Unreadable.EMPTY)
    about = _Properties(parts.get(_CORE))
    top = min(layout.headings, key=lambda heading: (heading.level, heading.start), default=None)
    dated = stated_date(about.value("dcterms:created") or "")
    return Page(
        text=layout.text,
        title=about.value("dc:title") or (top.text if top else None),
        headings=layout.headings,
        code=layout.code,
        language=language_of(layout.text),
        published=PublicationDate(dated.at, dated.precision, "docx") if dated else None,
        author=about.value("dc:creator"),
        links=links_of(root, url),
    )


def _html(parts: dict[str, bytes]) -> str:
    """The document as HTML. mammoth sees no more of the package than XML that was measured."""
    measured = BytesIO()
    with zipfile.ZipFile(measured, "w") as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), _as_shown(part))
    try:
        converted = mammoth.convert_to_html(
            measured, include_embedded_style_map=False, convert_image=lambda _image: []
        )
    except MemoryError:
        raise
    except Exception as error:  # whatever it stumbles over is the document's
        raise PageUnreadable(Unreadable.DAMAGED) from error
    markup: str = converted.value
    return markup


def _as_shown(part: bytes) -> bytes:
    """XML without the runs that are set to be hidden, which mammoth reads, and with those in
    fields, in text of a direction and below ruby, which it does not.
    """
    if not _ALTERED.search(part):
        return part
    root = tree(part)
    for around in root.iter(*(f"{_WORD}{name}" for name in _AROUND)):
        around.tag = f"{_WORD}smartTag"
    for run in root.iter(f"{_WORD}r"):
        hidden = run.find(f"{_WORD}rPr/{_WORD}vanish")
        if hidden is not None and hidden.get(f"{_WORD}val") not in _OFF:
            run.clear()
    return etree.tostring(root)


class _Properties:
    """The properties that a document states of itself."""

    def __init__(self, part: bytes | None) -> None:
        self._root = tree(part) if part else None

    def value(self, name: str) -> str | None:
        if self._root is None:
            return None
        found = self._root.find(name, _CORE_NAMES)
        return (found.text or "").strip() or None if found is not None else None
