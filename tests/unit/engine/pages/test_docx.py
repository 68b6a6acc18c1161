"""DOCX: paragraphs, headings, lists and tables, and nothing that was deleted."""

from datetime import UTC, datetime

import pytest

from app.engine.pages.page import Page
from app.engine.pages.read import read
from tests.unit.engine.pages.packages import DOCX, docx, paragraph, table

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CORE = """<cp:coreProperties xmlns:cp="urn:x" xmlns:dc="http://purl.org/dc/elements/1.1/"
xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>The Report</dc:title>
<dc:creator>Ann</dc:creator>
<dcterms:created>2020-01-02T03:04:05Z</dcterms:created></cp:coreProperties>"""


def page(body: str, parts: dict[str, str | bytes] | None = None) -> Page:
    return read(docx(body, parts), DOCX, None, "https://example.org/report.docx")


def test_styles_are_headings_in_whatever_language_the_program_names_them() -> None:
    read = page(
        paragraph("Owls", style="Titre1")
        + paragraph("Eggs", style="Titre2")
        + paragraph("A clutch holds seven.")
    )
    assert read.text == "Owls\n\nEggs\n\nA clutch holds seven."
    assert [heading.level for heading in read.headings] == [1, 2]
    assert read.title == "Owls"


def test_styles_of_a_template_are_what_the_outline_says_and_code_is_a_listing() -> None:
    style = '<w:style w:type="paragraph" w:styleId="{0}"><w:name w:val="{0}"/>{1}</w:style>'
    styles = (
        style.format("Chapter", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
        + style.format("AnnexChapter", '<w:basedOn w:val="Chapter"/>')
        + style.format(
            "TocHead", '<w:basedOn w:val="Chapter"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'
        )
        + style.format("Loop", '<w:basedOn w:val="Loop"/>')
        + style.format("Title", "")
        + style.format("Code", "")
    )
    read = page(
        paragraph("Manual", style="Title")
        + paragraph("Contents", style="TocHead")
        + paragraph("Owls", style="AnnexChapter")
        + paragraph("x = 1", style="Code")
        + paragraph("y = 2", style="Code")
        + paragraph("Eggs", style="Loop"),
        {"word/styles.xml": f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>'},
    )
    assert [heading.text for heading in read.headings] == ["Manual", "Owls"]
    assert [read.text[start:end] for start, end in read.code] == ["x = 1\ny = 2"]
    assert read.title == "Manual"


def test_numbered_items_keep_their_numbers_and_inner_items_their_place() -> None:
    items = [paragraph("One", level=0), paragraph("Within", level=1), paragraph("Two", level=0)]
    assert page("".join(items)).text == "1. One\nWithin\n2. Two"


def test_a_table_is_rows_of_cells() -> None:
    rows = table(["Species", "Eggs"], ["Barn owl", "7"])
    assert page(rows).text == "Species | Eggs\nBarn owl | 7"


def test_what_was_deleted_is_not_read_and_what_was_inserted_is() -> None:
    run = "<w:r><w:t>{}</w:t></w:r>"
    body = (
        f"<w:p><w:r><w:t>Seven</w:t></w:r><w:del><w:r><w:delText>eight</w:delText></w:r></w:del>"
        f"<w:ins>{run.format(' eggs')}</w:ins></w:p>"
        f"<w:sdt><w:sdtContent><w:p>{run.format('A field.')}</w:p></w:sdtContent></w:sdt>"
    )
    assert page(body).text == "Seven eggs\n\nA field."


def test_what_is_set_to_be_hidden_is_not_read() -> None:
    runs = (
        f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"
        for properties, text in (
            ("<w:b/>", "Seven eggs"),
            ("<w:vanish/>", " and a secret"),
            ('<w:vanish w:val="0"/>', " in all"),
        )
    )
    assert page(f"<w:p>{''.join(runs)}</w:p>").text == "Seven eggs in all"


@pytest.mark.parametrize(
    "around",
    [
        '<w:fldSimple w:instr=" SEQ Table ">{}</w:fldSimple>',
        '<w:dir w:val="rtl">{}</w:dir>',
        "<w:r><w:ruby><w:rt><w:r><w:t>n</w:t></w:r></w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>",
    ],
)
def test_text_in_fields_of_a_direction_and_below_ruby_is_read(around: str) -> None:
    number = around.format("<w:r><w:t>7</w:t></w:r>")
    assert page(f"<w:p><w:r><w:t>Table </w:t></w:r>{number}</w:p>").text == "Table 7"


def test_a_document_states_its_title_author_and_date() -> None:
    read = page(paragraph("Text."), {"docProps/core.xml": CORE})
    assert (read.title, read.author, read.published_source) == ("The Report", "Ann", "docx")
    assert read.published_at == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_pictures_are_passed_over() -> None:
    blip = (
        '<w:p><w:r><w:drawing xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        'wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><wp:inline>'
        "<a:graphic><a:graphicData><pic:pic><pic:blipFill>"
        '<a:blip r:embed="r1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline>'
        "</w:drawing></w:r></w:p>"
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="image" Target="media/a.png"/></Relationships>'
    )
    parts: dict[str, str | bytes] = {
        "word/_rels/document.xml.rels": relations,
        "word/media/a.png": b"\x89PNG",
    }
    assert page(blip + paragraph("An owl."), parts).text == "An owl."


def test_a_text_box_that_old_programs_are_not_shown_is_read_once() -> None:
    box = f"<w:txbxContent>{paragraph('Barn owls only.')}</w:txbxContent>"
    either = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice><w:drawing>{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>%s</w:pict>"
        "</mc:Fallback></mc:AlternateContent>"
    )
    for old in ("", box):
        body = f"<w:p><w:r><w:t>Above.</w:t>{either % old}</w:r></w:p>"
        assert read(docx(body), DOCX, None, "").text == "Above.\n\nBarn owls only."
