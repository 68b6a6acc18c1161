"""Packages that were made to do harm are refused, each for its reason and at little cost."""

import struct
import zipfile
from io import BytesIO

import pytest

from app.engine.pages.formats import package as packages
from app.engine.pages.formats.package import DEEPEST_XML, MOST_ENTRIES, Package
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.pages.read import read
from tests.unit.engine.pages.packages import DOCX, EPUB, W, document, docx, epub, package, paragraph

URL = "https://example.org/file"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "owls owls owls owls"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">]>'
)
EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


def refusal(body: bytes, media_type: str) -> Unreadable:
    with pytest.raises(PageUnreadable) as caught:
        read(body, media_type, None, URL)
    return caught.value.reason


def parts(content: str, declared: str = "") -> dict[str, str | bytes]:
    return {"word/document.xml": document(content, declared)}


def claiming(body: bytes, size: int) -> bytes:
    """`body` with another unpacked size of its first part, in both places that state it."""
    claimed = bytearray(body)
    claimed[22:26] = struct.pack("<I", size)
    at = claimed.index(b"PK\x01\x02")
    claimed[at + 24 : at + 28] = struct.pack("<I", size)
    return bytes(claimed)


@pytest.mark.parametrize("media_type", [DOCX, EPUB])
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"no package", Unreadable.DAMAGED),
        (b"PK\x03\x04 and no more", Unreadable.DAMAGED),
        (package({"a.txt": "text"}), Unreadable.DAMAGED),
        (OLE + "EncryptedPackage".encode("utf-16-le"), Unreadable.ENCRYPTED),
        (OLE + b"an old document", Unreadable.DAMAGED),
        (b" \n", Unreadable.EMPTY),
    ],
)
def test_what_is_no_package_is_refused(media_type: str, body: bytes, reason: Unreadable) -> None:
    assert refusal(body, media_type) is reason


@pytest.mark.parametrize("declared", [ENTITIES, EXTERNAL, '<!DOCTYPE x SYSTEM "http://a.org/x">'])
def test_xml_that_declares_anything_is_refused(declared: str) -> None:
    text = "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
    assert refusal(docx("", parts(text, declared)), DOCX) is Unreadable.DAMAGED
    container = f'{declared}<container xmlns="urn:x"/>'
    book = epub("<p>Text.</p>", parts={"META-INF/container.xml": container})
    assert refusal(book, EPUB) is Unreadable.DAMAGED


def test_entities_of_a_chapter_are_not_followed() -> None:
    chapter = f"{EXTERNAL}<html><body><p>Owls &a; &#233;.</p></body></html>"
    body = epub("", parts={"OEBPS/text/chapter 0.xhtml": chapter})
    assert "root:" not in read(body, EPUB, None, URL).text


def test_xml_deeper_than_any_document_is_refused() -> None:
    deep = "<w:sdt><w:sdtContent>" * DEEPEST_XML + "</w:sdtContent></w:sdt>" * DEEPEST_XML
    assert refusal(docx(deep), DOCX) is Unreadable.TOO_LARGE


def test_tables_within_tables_as_deep_as_is_allowed_are_read() -> None:
    levels = (DEEPEST_XML - 10) // 3
    before, behind = "<w:tbl><w:tr><w:tc>" * levels, "</w:tc></w:tr></w:tbl>" * levels
    body = docx(f"{before}{paragraph('An owl.')}{behind}")
    assert read(body, DOCX, None, URL).text == "An owl."


def test_xml_of_too_many_elements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "MOST_XML_ELEMENTS", 100)
    assert refusal(docx("<w:p/>" * 100), DOCX) is Unreadable.TOO_LARGE


def test_a_part_that_unpacks_to_a_thousand_times_its_size_is_refused() -> None:
    bomb = package(parts(" " * (packages.MOST_UNPACKED_BYTES + 1)))
    assert len(bomb) < 200_000
    assert refusal(bomb, DOCX) is Unreadable.TOO_LARGE


def test_parts_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "MOST_UNPACKED_BYTES", 20_000)
    chapters = [f"<p>{'owl ' * 1_000}</p>"] * 6
    assert refusal(epub(*chapters), EPUB) is Unreadable.TOO_LARGE


@pytest.mark.parametrize(
    ("size", "reason"), [(1 << 30, Unreadable.TOO_LARGE), (10, Unreadable.DAMAGED)]
)
def test_a_part_that_claims_another_size_is_refused(size: int, reason: Unreadable) -> None:
    assert refusal(claiming(package(parts("<w:p/>")), size), DOCX) is reason


def test_more_entries_than_any_document_has_are_refused() -> None:
    entries = {f"{number}": b"" for number in range(MOST_ENTRIES + 1)}
    assert refusal(package(entries), EPUB) is Unreadable.TOO_LARGE


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        (0x01, Unreadable.ENCRYPTED),
        (0x20, Unreadable.DAMAGED),
        (0x40, Unreadable.DAMAGED),
    ],
    ids=["encrypted", "patched", "strong encryption"],
)
def test_a_flag_of_an_entry_says_why_it_cannot_be_read(flag: int, reason: Unreadable) -> None:
    body = bytearray(package(parts("<w:p/>")))
    body[6] |= flag
    body[body.index(b"PK\x01\x02") + 8] |= flag
    assert refusal(bytes(body), DOCX) is reason


def test_a_way_of_packing_that_no_document_has_is_damage() -> None:
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("word/document.xml", "<x/>")
    assert refusal(written.getvalue(), DOCX) is Unreadable.DAMAGED


def test_a_broken_checksum_is_damage() -> None:
    body = bytearray(package({"a.xml": "<a>owls</a>"}))
    body[len("a.xml") + 30 + 3] ^= 0xFF
    with pytest.raises(PageUnreadable, match="damaged"):
        Package(bytes(body)).part("a.xml")


def test_a_name_that_leads_elsewhere_is_only_looked_up() -> None:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="../../../etc/passwd"/></rootfiles></container>'
    )
    book = epub("<p>Text.</p>", parts={"META-INF/container.xml": container})
    assert refusal(book, EPUB) is Unreadable.DAMAGED


NUMBERING_IN_A_CIRCLE: dict[str, str | bytes] = {
    "word/numbering.xml": f'<w:numbering {W}><w:abstractNum w:abstractNumId="1">'
    '<w:numStyleLink w:val="L"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/>'
    "</w:num></w:numbering>",
    "word/styles.xml": f'<w:styles {W}><w:style w:type="numbering" w:styleId="L"><w:pPr><w:numPr>'
    '<w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>',
}
NO_UTF_8 = b'<?xml version="1.0" encoding="utf-8"?><document>\xff\xfe</document>'
BROKEN: dict[str, tuple[str, dict[str, str | bytes]]] = {
    "a note without a number": ("<w:p><w:r><w:footnoteReference/></w:r></w:p>", {}),
    "a width that is no number": (
        '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="wide"/></w:tcPr></w:tc></w:tr></w:tbl>',
        {},
    ),
    "markup that does not end": ("<w:p>", {}),
    "XML that is not in its encoding": ("", {"word/document.xml": NO_UTF_8}),
}


@pytest.mark.parametrize(("body", "others"), BROKEN.values(), ids=BROKEN)
def test_a_document_that_contradicts_itself_is_damaged(
    body: str, others: dict[str, str | bytes]
) -> None:
    assert refusal(docx(body, others), DOCX) is Unreadable.DAMAGED


def test_a_numbering_that_refers_to_itself_is_followed_once() -> None:
    body = docx(paragraph("One", level=0), NUMBERING_IN_A_CIRCLE)
    assert read(body, DOCX, None, URL).text == "One"


def test_a_cell_as_wide_as_a_billion_columns_is_one_cell() -> None:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr>{paragraph("An owl.")}</w:tc>'
    assert read(docx(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>"), DOCX, None, URL).text == "An owl."


def test_an_invalid_byte_in_a_chapter_is_marked_and_the_rest_is_read() -> None:
    chapter = b"<html><body><p>Caf\xff owls hunt at night.</p></body></html>"
    body = epub("", parts={"OEBPS/text/chapter 0.xhtml": chapter})
    assert read(body, EPUB, None, URL).text == "Caf\ufffd owls hunt at night."
