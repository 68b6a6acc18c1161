"""PDF: text in paragraphs, and every way a file can be bad."""

from datetime import UTC, datetime

import pytest

from app.engine.pages.formats.pdf import PdfLimits, read_pdf
from app.engine.pages.page import PageUnreadable, Unreadable, page_number
from tests.unit.engine.pages.pdf_bytes import pdf

ENCRYPTED = (
    f"/ID [<{'00' * 16}><{'00' * 16}>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4"
    f" /O <{'41' * 32}> /U <{'42' * 32}> >>"
)
INFO = "/Title (The Report) /Author (Ann) /CreationDate (D:20200102030405+01'00')"


def refusal(body: bytes, limits: PdfLimits | None = None) -> Unreadable:
    with pytest.raises(PageUnreadable) as caught:
        read_pdf(body, limits or PdfLimits())
    return caught.value.reason


def test_lines_become_paragraphs_and_large_lines_headings() -> None:
    page = read_pdf(
        pdf([
            (24, 700, "Results"),
            (11, 660, "The first paragraph runs over"),
            (11, 647, "two lines of the page."),
            (11, 610, "The second is short."),
        ])
    )  # fmt: skip
    assert page.text == (
        "Results\n\nThe first paragraph runs over two lines of the page.\n\nThe second is short."
    )
    assert [(h.start, h.level, h.text) for h in page.headings] == [(0, 1, "Results")]


def test_a_sentence_goes_on_over_the_page_while_running_heads_are_dropped() -> None:
    words = ["The first", "page and", "another that", "runs to an end."]
    pages = [
        [
            (9, 760, "Annual Report"), (11, 700, word), (11, 687, f"{word} goes"),
            (11, 674, f"{word} on"), (9, 30, f"{number}"),
        ]
        for number, word in enumerate(words, start=1)
    ]  # fmt: skip
    assert read_pdf(pdf(*pages)).text == " ".join(f"{w} {w} goes {w} on" for w in words)


def test_pages_of_one_line_keep_it() -> None:
    body = pdf(*[[(11, 700, f"Slide {number}.")] for number in range(4)])
    assert read_pdf(body).text == "Slide 0. Slide 1. Slide 2. Slide 3."


def test_the_document_information_is_read() -> None:
    page = read_pdf(pdf([(11, 700, "Text.")], info=INFO))
    assert (page.title, page.author, page.published_source) == ("The Report", "Ann", "pdf")
    assert page.published_at == datetime(2020, 1, 2, 2, 4, 5, tzinfo=UTC)


def test_an_encrypted_file_is_told_apart() -> None:
    assert refusal(pdf([(11, 700, "x")], trailer=ENCRYPTED)) is Unreadable.ENCRYPTED


@pytest.mark.parametrize("body", [b"%PDF-1.4 rubbish", b"hello"])
def test_what_is_no_pdf_is_damaged(body: bytes) -> None:
    assert refusal(body) is Unreadable.DAMAGED


def test_pages_that_show_something_and_have_no_text_are_scanned() -> None:
    assert refusal(pdf([], drawn="72 600 100 100 re f")) is Unreadable.SCANNED


def test_blank_pages_are_empty() -> None:
    assert refusal(pdf([])) is Unreadable.EMPTY


def test_more_text_than_allowed_is_too_large() -> None:
    body = pdf([(11, 700, "word " * 100)])
    assert refusal(body, PdfLimits(characters=100)) is Unreadable.TOO_LARGE


def test_more_pages_than_allowed_are_too_many() -> None:
    body = pdf([(11, 700, "One.")], [(11, 700, "Two.")])
    assert refusal(body, PdfLimits(pages=1)) is Unreadable.TOO_MANY_PAGES


PAGES = pdf([(11, 600, "One.")], [], [(11, 700, "It runs over")], [(11, 720, "the page.")])


def test_pages_start_where_their_first_line_does_also_within_a_paragraph() -> None:
    page = read_pdf(PAGES)
    assert page.text == "One.\n\nIt runs over the page."
    assert page.pages == (0, 6, 6, page.text.index("the page"))


@pytest.mark.parametrize(("words", "number"), [("One", 1), ("It runs", 3), ("the page", 4)])
def test_a_place_is_on_the_page_that_shows_it(words: str, number: int) -> None:
    page = read_pdf(PAGES)
    assert page_number(page.pages, page.text.index(words)) == number


def test_a_word_that_runs_over_the_page_is_on_the_page_where_it_begins() -> None:
    page = read_pdf(pdf([(11, 600, "An exam-")], [(11, 700, "ple of it.")]))
    assert page.text == "An example of it."
    assert page_number(page.pages, page.text.index("example")) == 1


def test_invisible_characters_before_a_page_do_not_move_its_start() -> None:
    page = read_pdf(pdf([(11, 600, "A soft\\255hyphen and")], [(11, 700, "a page.")]))
    assert page.text[page.pages[1] :] == "a page."


def test_what_has_no_pages_has_no_page_number() -> None:
    assert page_number((), 5) is None
