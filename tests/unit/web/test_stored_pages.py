"""A quote in the text of its page: marked where it stands, or not at all."""

import re

import pytest

from app.web.citations.quotes import MATCHES, MOVED, NOT_FOUND, CitedQuote, ShownPlace, locate
from app.web.citations.stored_pages import AROUND, show

TEXT = "Owls\n\nA clutch holds four to seven eggs.\n\nSpecies | Eggs\nBarn owl | 7\n\nBarn owl | 7"
EGGS = CitedQuote("four to seven eggs", 21, 39, "A clutch holds ", ".")


def marked(text: str, quote: CitedQuote) -> list[str]:
    found = show(text, locate(text, quote), whole=False, plain=False)
    return re.findall(r"<mark[^>]*>(.*?)</mark>", found.body)


def test_a_quote_is_marked_at_its_place() -> None:
    assert locate(TEXT, EGGS) == ShownPlace(MATCHES, 21, 39)
    assert marked(TEXT, EGGS) == ["four to seven eggs"]


def test_a_quote_that_moved_is_marked_between_its_neighbours() -> None:
    text = "Seven eggs: four to seven eggs, they say.\n\n" + TEXT
    assert locate(text, EGGS) == ShownPlace(MOVED, 64, 82)


def test_the_words_of_a_quote_that_answer_move_with_it() -> None:
    place = locate(TEXT, EGGS)
    assert place.narrowed((0, 13)) == ShownPlace(MATCHES, 21, 34)
    assert place.narrowed(None) == place
    moved = locate("Seven eggs: four to seven eggs, they say.\n\n" + TEXT, EGGS)
    assert moved.narrowed((0, 13)) == ShownPlace(MOVED, 64, 77)


def test_of_a_quote_that_is_gone_no_part_is_marked() -> None:
    assert locate("", EGGS).narrowed((0, 13)) == ShownPlace(NOT_FOUND)


def test_the_same_words_elsewhere_are_not_the_quote() -> None:
    text = TEXT.replace("A clutch holds four", "A clutch has four") + "\n\nfour to seven eggs!"
    assert (
        locate(text, CitedQuote("four to seven eggs", 21, 39, "holds ", " maybe")).state
        == NOT_FOUND
    )


@pytest.mark.parametrize(
    "text", ["", TEXT.replace("seven", "nine"), TEXT.replace("four to", "four  to")]
)
def test_of_a_changed_text_nothing_is_marked(text: str) -> None:
    assert locate(text, EGGS) == ShownPlace(NOT_FOUND)
    assert marked(text, EGGS) == []


def test_a_quote_across_cells_is_marked_in_each_and_found_once() -> None:
    start = TEXT.index("Barn owl | 7")
    quote = CitedQuote("Barn owl | 7", start, start + 12)
    body = show(TEXT, locate(TEXT, quote), whole=False, plain=False).body
    assert '<td><mark id="hit">Barn owl</mark></td><td><mark>7</mark></td>' in body


def test_a_quote_that_no_block_holds_is_marked_in_the_text_as_it_is() -> None:
    text = "Owl | Eggs\nBarn owl | 7"
    found = show(text, ShownPlace(MATCHES, 20, 21), whole=False, plain=False)
    assert not found.structured
    assert '<mark id="hit">|</mark>' in found.body


def test_of_a_long_text_the_surroundings_of_the_quote_are_shown() -> None:
    filling = "All about barns.\n\n" * 200_000
    text = filling + TEXT + filling
    start = len(filling) + 21
    shown = show(text, ShownPlace(MATCHES, start, start + 18), whole=False, plain=False)
    assert '<mark id="hit">four to seven eggs</mark>' in shown.body
    assert len(text) - shown.before - shown.behind < 2 * AROUND + 100


def test_a_very_long_text_is_shown_whole_as_it_is() -> None:
    text = "All about barns.\n\n" * 250_000
    shown = show(text, None, whole=True, plain=False)
    assert (shown.before, shown.behind, shown.structured) == (0, 0, False)
    assert shown.body == f'<pre class="whole">{text}</pre>'


def test_where_a_page_of_a_document_begins_its_number_is_shown() -> None:
    body = show(TEXT, locate(TEXT, EGGS), whole=False, plain=False, pages=(0, 6, 6, 30)).body
    assert '<span class="page-start" data-page="1"></span>Owls' in body
    assert '<p><span class="page-start" data-page="3"></span>A clutch holds ' in body
    assert '<mark id="hit">four to s</mark><span class="page-start" data-page="4"></span>' in body


def test_numbers_of_pages_are_shown_in_plain_text_as_well() -> None:
    body = show(TEXT, None, whole=True, plain=True, pages=(0, 6)).body
    assert body.count('class="page-start"') == 2
