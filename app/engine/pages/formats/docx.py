"""Read a DOCX: its paragraphs, headings, lists and tables, by way of mammoth's HTML."""

import re
import zipfile
from collections.abc import Mapping
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
_TEXT_BOX = f"{_WORD}txbxContent"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_OFF = ("0", "false", "off")
_AROUND = ("fldSimple", "dir", "bdo", "ruby", "rubyBase")
_ALTERED = re.compile(rb"vanish|fldSimple|:dir\b|:bdo\b|rubyBase|txbxContent")
_STYLES = "word/styles.xml"
_LEVELS = ("0", "1", "2", "3", "4", "5")
_DEEPEST = 10  # styles of which each is based on the next
_LISTINGS = ("Code", "Source Code", "HTML Preformatted", "Preformatted Text")
_STYLE_MAP = "\n".join(
    [
        "p[style-name='Title'] => h1:fresh",
        *(f"p[style-name='{name}'] => pre:separator('\\n')" for name in _LISTINGS),
    ]
)
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
            archive.writestr(zipfile.ZipInfo(name), _prepared(name, part))
    try:
        converted = mammoth.convert_to_html(
            measured,
            style_map=_STYLE_MAP,
            include_embedded_style_map=False,
            convert_image=lambda _image: [],
        )
    except MemoryError:
        raise
    except Exception as error:  # whatever it stumbles over is the document's
        raise PageUnreadable(Unreadable.DAMAGED) from error
    markup: str = converted.value
    return markup


def _prepared(name: str, part: bytes) -> bytes:
    return _with_headings(part) if part and name == _STYLES else _as_shown(part)


def _with_headings(styles: bytes) -> bytes:
    """The styles, of which those with a level in the outline are called headings: templates have
    names of their own for them.
    """
    root = tree(styles)
    by_id = {style.get(f"{_WORD}styleId"): style for style in root.iter(f"{_WORD}style")}
    for style in by_id.values():
        level, name = _outline_level(style, by_id), style.find(f"{_WORD}name")
        if name is not None and level in _LEVELS:
            name.set(f"{_WORD}val", f"heading {int(level) + 1}")
    return etree.tostring(root)


def _outline_level(style: etree._Element | None, by_id: Mapping[str | None, etree._Element]) -> str:
    """The level that a style states or has from those it is based on."""
    for _ in range(_DEEPEST):
        if style is None:
            break
        stated = style.find(f"{_WORD}pPr/{_WORD}outlineLvl")
        if stated is not None:
            return stated.get(f"{_WORD}val") or ""
        above = style.find(f"{_WORD}basedOn")
        style = by_id.get(above.get(f"{_WORD}val")) if above is not None else None
    return ""


def _as_shown(part: bytes) -> bytes:
    """XML without the runs that are set to be hidden, which mammoth reads, and with those in
    fields, in text of a direction, below ruby, and in text boxes of LibreOffice, which it does not.
    """
    if not _ALTERED.search(part):
        return part
    root = tree(part)
    for around in root.iter(*(f"{_WORD}{name}" for name in _AROUND)):
        around.tag = f"{_WORD}smartTag"
    for either in list(root.iter(f"{_COMPATIBILITY}AlternateContent")):
        _show_text_boxes(either)
    for run in root.iter(f"{_WORD}r"):
        hidden = run.find(f"{_WORD}rPr/{_WORD}vanish")
        if hidden is not None and hidden.get(f"{_WORD}val") not in _OFF:
            run.clear()
    return etree.tostring(root)


def _show_text_boxes(either: etree._Element) -> None:
    """Put the text boxes of a drawing also into its form for old programs, if they lack there:
    mammoth reads that.
    """
    old = either.find(f"{_COMPATIBILITY}Fallback")
    if old is not None and next(old.iter(_TEXT_BOX), None) is None:
        old.extend(list(either.iter(_TEXT_BOX)))


class _Properties:
    def __init__(self, part: bytes | None) -> None:
        self._root = tree(part) if part else None

    def value(self, name: str) -> str | None:
        if self._root is None:
            return None
        found = self._root.find(name, _CORE_NAMES)
        return (found.text or "").strip() or None if found is not None else None
