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
    assert read_pdf(body).text == "Slide 0.\n\nSlide 1.\n\nSlide 2.\n\nSlide 3."


def test_numbers_at_the_edges_of_pages_stay_unless_they_are_those_of_pages() -> None:
    numbers = (1040, 1047, 1061, 1054)
    pages = [
        [(11, 760, f"Invoice {n}"), (11, 700, f"For {n} owls."), (11, 660, f"{n * 2}")]
        for n in numbers
    ]
    expected = "\n\n".join(f"Invoice {n}\n\nFor {n} owls.\n\n{n * 2}" for n in numbers)
    assert read_pdf(pdf(*pages)).text == expected


@pytest.mark.parametrize(
    "heads",
    [
        ("i", "ii", "iii", "1", "2", "3"),
        ("12 The Owls", "Feeding 13", "14 The Owls", "Feeding 15", "16 The Owls", "Feeding 17"),
    ],
    ids=["roman numbers before others", "facing pages"],
)
def test_heads_that_differ_by_the_number_of_the_page_are_dropped(heads: tuple[str]) -> None:
    words = ("One", "Two", "Three", "Four", "Five", "Six")
    pages = [[(9, 760, head), (11, 700, f"{w}.")] for head, w in zip(heads, words, strict=True)]
    assert read_pdf(pdf(*pages)).text == "\n\n".join(f"{word}." for word in words)


def test_a_word_is_put_together_again_and_a_compound_keeps_its_hyphen() -> None:
    lines = ["A long-term study of noc-", "turnal owls, a long-", "term one of the Owl-", "Lab: e-"]
    ends = ["mails, part AB-", "12, pages 10-", "20, is the last of its kind here."]
    body = pdf([(11, 700 - 13 * n, line) for n, line in enumerate([*lines, *ends])])
    assert read_pdf(body).text == (
        "A long-term study of nocturnal owls, a long-term one of the Owl-Lab: e-mails, part AB-12,"
        " pages 10-20, is the last of its kind here."
    )


def test_lines_that_run_up_the_page_are_one_paragraph() -> None:
    lines = ("Wide tables are", "often printed on", "sheets that lie.")
    drawn = " ".join(
        f"BT /F1 11 Tf 0 1 -1 0 {100 + 13 * n} 72 Tm ({line}) Tj ET" for n, line in enumerate(lines)
    )
    assert read_pdf(pdf([], drawn=drawn)).text == " ".join(lines)


def test_a_raised_number_stays_in_its_line() -> None:
    drawn = (
        "BT /F1 11 Tf 72 700 Td (There are about 10) Tj /F1 7 Tf 92 5 Td (6) Tj /F1 11 Tf 4 -5 Td"
        " ( of them, and) Tj -96 -13 Td (more to come.) Tj ET"
    )
    assert read_pdf(pdf([], drawn=drawn)).text == "There are about 10⁶ of them, and more to come."


def test_names_that_programs_give_to_what_has_none_are_none() -> None:
    page = read_pdf(pdf([(11, 700, "Text.")], info="/Title (untitled) /Author (\\(anonymous\\))"))
    assert (page.title, page.author) == (None, None)


def test_the_document_information_is_read() -> None:
    page = read_pdf(pdf([(11, 700, "Text.")], info=INFO))
    assert (page.title, page.author, page.published_source) == ("The Report", "Ann", "pdf")
    assert page.published_at == datetime(2020, 1, 2, 2, 4, 5, tzinfo=UTC)


UNMAPPED = "BT /F2 11 Tf 72 700 Td (Rzoi lob dw qljkw) Tj ET"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(pdf([(11, 700, "x")], trailer=ENCRYPTED), Unreadable.ENCRYPTED, id="locked"),
        pytest.param(b"%PDF-1.4 rubbish", Unreadable.DAMAGED, id="rubbish"),
        pytest.param(b"hello", Unreadable.DAMAGED, id="no PDF"),
        pytest.param(pdf([], drawn="72 600 100 100 re f"), Unreadable.SCANNED, id="no text"),
        pytest.param(pdf([], drawn=UNMAPPED), Unreadable.SCANNED, id="letters of no known name"),
        pytest.param(pdf([]), Unreadable.EMPTY, id="blank pages"),
    ],
)
def test_what_cannot_be_read_is_refused_for_its_reason(body: bytes, reason: Unreadable) -> None:
    assert refusal(body) is reason


def test_bullets_that_a_font_does_not_name_leave_their_lines_readable() -> None:
    bullets = [f"BT /F2 11 Tf 72 {y} Td (l) Tj /F1 11 Tf 12 0 Td (An owl.) Tj ET" for y in (99, 50)]
    page = read_pdf(pdf([], drawn=" ".join(bullets)))
    assert (page.text.count("An owl."), page.lack) == (2, None)


@pytest.mark.parametrize(("drawn", "lack"), [("", None), ("72 9 9 9 re f", "scanned")])
def test_a_document_says_that_some_of_its_pages_have_no_text_unless_they_are_blank(
    drawn: str, lack: str | None
) -> None:
    page = read_pdf(pdf([(11, 700, "An owl.")], [], drawn=drawn))
    assert (page.text, page.lack) == ("An owl.", lack)


@pytest.mark.parametrize(("width", "lack"), [(612, "scanned"), (100, None)])
def test_a_picture_of_a_page_with_no_more_than_a_stamp_is_scanned(
    width: int, lack: str | None
) -> None:
    picture = f"q {width} 0 0 792 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID a EI Q"
    page = read_pdf(pdf([(11, 700, "Received in May")], drawn=picture))
    assert (page.text, page.lack) == ("Received in May", lack)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (PdfLimits(characters=100), Unreadable.TOO_LARGE),
        (PdfLimits(pages=1), Unreadable.TOO_MANY_PAGES),
    ],
)
def test_more_than_is_allowed_is_refused(limits: PdfLimits, reason: Unreadable) -> None:
    assert refusal(pdf([(11, 700, "word " * 100)], [(11, 700, "Two.")]), limits) is reason


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
