"""EPUB: chapters in the order of reading, with what the book states of itself."""

import pytest

from app.engine.pages.page import PageUnreadable
from app.engine.pages.read import read
from tests.unit.engine.pages.packages import EPUB, epub

URL = "https://example.org/book.epub"
ABOUT = (
    "<dc:title>On Owls</dc:title><dc:creator>Ann</dc:creator><dc:language>en-GB</dc:language>"
    "<dc:date>2020</dc:date><dc:publisher>Barn Press</dc:publisher>"
)
CHAPTERS = (
    "<h1>Owls</h1><p>They hunt at <a id='x'/>night.</p><ul><li>One</li></ul>",
    "<h1>Eggs</h1><ul><li>Seven</li></ul><table><tr><th>a</th><th>b</th></tr></table>",
)


def encryption(*parts: str) -> str:
    references = "".join(f'<e:CipherReference URI="{part}"/>' for part in parts)
    return f'<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#">{references}</encryption>'


def test_chapters_stand_one_under_another() -> None:
    page = read(epub(*CHAPTERS, metadata=ABOUT), EPUB, None, URL)
    assert page.text == "Owls\n\nThey hunt at night.\n\nOne\n\nEggs\n\nSeven\n\na | b"
    assert [heading.text for heading in page.headings] == ["Owls", "Eggs"]


def test_cdata_sections_are_text() -> None:
    chapter = "<h1>Code</h1><p>Write <![CDATA[if (a < b && c)]]> there.</p>"
    text = read(epub(chapter, metadata=ABOUT), EPUB, None, URL).text
    assert text == "Code\n\nWrite if (a < b && c) there."


def test_a_book_states_its_title_author_date_and_publisher() -> None:
    page = read(epub(*CHAPTERS, metadata=ABOUT), EPUB, None, URL)
    stated = (page.title, page.author, page.publisher, page.language, page.published_precision)
    assert stated == ("On Owls", "Ann", "Barn Press", "en", "year")


def test_a_book_with_encrypted_chapters_is_told_apart() -> None:
    parts = {"META-INF/encryption.xml": encryption("OEBPS/text/chapter%201.xhtml")}
    with pytest.raises(PageUnreadable, match="encrypted"):
        read(epub(*CHAPTERS, parts=parts), EPUB, None, URL)


def test_encrypted_fonts_do_not_hinder_reading() -> None:
    parts = {"META-INF/encryption.xml": encryption("OEBPS/fonts/a.otf")}
    assert read(epub(*CHAPTERS, parts=parts), EPUB, None, URL).text.startswith("Owls")


def test_a_chapter_that_the_book_lacks_or_names_twice_is_read_no_more_than_once() -> None:
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item id="a" href="text/chapter%200.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="../OEBPS/text/chapter%200.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="none.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/><itemref idref="d"/>'
        "</spine></package>"
    )
    page = read(epub("<p>Once.</p>", parts={"OEBPS/book.opf": opf}), EPUB, None, URL)
    assert page.text == "Once."


@pytest.mark.parametrize("missing", ["META-INF/container.xml", "OEBPS/book.opf"])
def test_a_package_that_is_no_book_is_damaged(missing: str) -> None:
    body = epub("<p>Text.</p>").replace(missing.encode(), b"x" * len(missing))
    with pytest.raises(PageUnreadable, match="damaged"):
        read(body, EPUB, None, URL)
