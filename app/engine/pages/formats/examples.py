"""A small true document of each format: reading them loads whatever reading needs."""

import zipfile
from collections.abc import Mapping
from io import BytesIO

from app.engine.pages.formats.media_types import CSV, DOCX, EPUB, PDF, TSV

_PROSE = "A page of prose, so that all that reading needs has been used once, this too. " * 20
_HTML = (
    f"<html><head><title>A</title></head><body><article><h1>A</h1><p>{_PROSE}</p>"
    f"<table><tr><th>a</th><td>b</td></tr></table><time datetime='2020-01-02'>x</time></article>"
)
_PDF = (
    "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n"
    "<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox"
    "[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont"
    "/Helvetica>>>>>>>>\nendobj\n4 0 obj\n<</Length 39>>\nstream\nBT /F1 12 Tf 72 700 Td (Text.) "
    "Tj ET   \nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n"
)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org"
_DOCX = {
    "[Content_Types].xml": f'<Types xmlns="{_OFFICE}/package/2006/content-types">'
    '<Override PartName="/word/document.xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_OFFICE}/package/2006/relationships"><Relationship '
    f'Id="a" Type="{_OFFICE}/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>',
    "docProps/core.xml": '<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A</dc:title></p>',
    "word/styles.xml": f'<w:styles {_W}><w:style w:type="paragraph" w:styleId="H">'
    '<w:name w:val="heading 1"/></w:style></w:styles>',
    "word/numbering.xml": f'<w:numbering {_W}><w:abstractNum w:abstractNumId="1"><w:lvl '
    'w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1">'
    '<w:abstractNumId w:val="1"/></w:num></w:numbering>',
    "word/footnotes.xml": f'<w:footnotes {_W}><w:footnote w:id="1"><w:p><w:r><w:t>Note.</w:t></w:r>'
    "</w:p></w:footnote></w:footnotes>",
    "word/document.xml": f'<w:document {_W}><w:body><w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r>'
    '<w:t>A</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    '</w:pPr><w:r><w:t>One</w:t><w:footnoteReference w:id="1"/><w:sym w:font="Wingdings" '
    f'w:char="F028"/></w:r></w:p><w:p><w:r><w:t>{_PROSE}</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p>'
    "<w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>",
}
_EPUB = {
    "mimetype": EPUB,
    "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
    "META-INF/encryption.xml": "<encryption/>",
    "a.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:date>2020-01-02</dc:date></metadata><manifest>'
    '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>'
    '<itemref idref="a"/></spine></package>',
    "a.xhtml": _HTML,
}


def package(parts: Mapping[str, str | bytes]) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return written.getvalue()


EXAMPLES = {
    "text/html": _HTML.encode(),
    "text/markdown": f"---\ndate: May 3, 2020\n---\n# A\n\n{_PROSE}".encode(),
    "text/plain": _PROSE.encode(),
    CSV: f"name,text\nA,{_PROSE}".encode(),
    TSV: f"name\ttext\nA\t{_PROSE}".encode(),
    DOCX: package(_DOCX),
    EPUB: package(_EPUB),
    PDF: _PDF.encode(),
}
