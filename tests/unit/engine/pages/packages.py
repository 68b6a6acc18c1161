"""Build small DOCX and EPUB files, so that no binary is kept in the repository."""

import zipfile
from collections.abc import Mapping
from io import BytesIO

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EPUB = "application/epub+zip"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STYLES = f"""<w:styles {W}>
<w:style w:type="paragraph" w:styleId="Titre1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Titre2"><w:name w:val="heading 2"/></w:style>
</w:styles>"""
NUMBERING = f"""<w:numbering {W}>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"""
CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""


def package(parts: Mapping[str, str | bytes]) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return written.getvalue()


def paragraph(text: str, *, style: str = "", level: int | None = None) -> str:
    """`level` is that of an item of a list, from 0: numbers first, bullets in them."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if level is not None:
        properties += f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: list[str]) -> str:
    cells = ["".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows]
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def document(body: str, declared: str = "") -> str:
    return f"{declared}<w:document {W}><w:body>{body}</w:body></w:document>"


def docx(body: str, parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """`body` is what stands in `w:body`; `parts` come besides, or instead."""
    return package({
        "word/document.xml": document(body),
        "word/styles.xml": STYLES,
        "word/numbering.xml": NUMBERING,
        **(parts or {}),
    })  # fmt: skip


def epub(
    *chapters: str, metadata: str = "", parts: Mapping[str, str | bytes] | None = None
) -> bytes:
    """Chapters are what stands in `body`; `parts` come besides, or instead."""
    items = "".join(
        f'<item id="c{n}" href="text/chapter%20{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    pages = {
        f"OEBPS/text/chapter {n}.xhtml": '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>'
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{chapter}</body>'
        "</html>"
        for n, chapter in enumerate(chapters)
    }
    return package({
        "mimetype": EPUB,
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": opf,
        **pages,
        **(parts or {}),
    })  # fmt: skip
