"""A quote looked for in a text: found, moved, changed or gone."""

import pytest

from app.domains.records.page_jobs.verification import quote_check
from app.domains.records.page_jobs.verification.quote_check import QuoteContext
from tests.costs import times_as_much

TEXT = "Desk lamp\nPrice: $1,299.50 incl. VAT\nBrand: Alder\nIn stock since 3 May 2026"
QUOTE = "$1,299.50"
PLACE = QuoteContext.of(TEXT, TEXT.index(QUOTE), TEXT.index(QUOTE) + len(QUOTE))


def test_a_quote_between_its_old_neighbours_is_found() -> None:
    now = f"News of today\n{TEXT}"
    verified = quote_check.verify(now, QUOTE, PLACE)
    assert (verified.result, verified.match) == ("found", "exact")
    assert now[verified.start : verified.end] == QUOTE


def test_a_quote_elsewhere_has_moved() -> None:
    now = "Clearance sale: everything must go\nformer tag $1,299.50 struck out\nNow $999.00"
    assert quote_check.verify(now, QUOTE, PLACE).result == "moved"


def test_a_quote_behind_a_permanent_redirect_has_moved() -> None:
    verified = quote_check.verify(TEXT, QUOTE, PLACE).at("https://shop.test/new")
    assert (verified.result, verified.moved_to) == ("moved", "https://shop.test/new")


def test_what_stands_there_instead_is_shown_with_the_difference() -> None:
    verified = quote_check.verify(TEXT.replace(QUOTE, "$1,399.50"), QUOTE, PLACE)
    assert (verified.result, verified.nearest) == ("changed", "$1,399.50")
    assert verified.similarity == 0.89
    assert verified.difference == "- $1,299.50\n+ $1,399.50"


def test_a_longer_quote_of_which_a_word_changed_is_found_again() -> None:
    quote = "In stock since 3 May 2026"
    place = QuoteContext.of(TEXT, TEXT.index(quote), len(TEXT))
    verified = quote_check.verify(TEXT.replace("3 May", "4 June"), quote, place)
    assert (verified.result, verified.nearest) == ("changed", "In stock since 4 June 2026")


def test_a_quote_of_which_nothing_like_it_is_left_is_gone() -> None:
    assert quote_check.verify("We moved. Nothing to see here.", QUOTE, PLACE).result == "gone"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("$1,299.50 \n incl. VAT", "$1,299.50 incl. VAT"),
        ("a “quoted” word", 'a "quoted" word'),
        ("1990–1999", "1990-1999"),
        ("ﬁne print", "fine print"),
        ("ﬁne print", "ﬁne  print"),
    ],
)
def test_white_space_quotation_marks_and_dashes_do_not_count(text: str, quote: str) -> None:
    verified = quote_check.verify(f"x {text} y", quote)
    assert (verified.result, verified.match) == ("found", "normalised")
    assert f"x {text} y"[verified.start : verified.end] == text


def test_of_several_places_the_one_with_the_old_neighbours_is_meant() -> None:
    text = "Shipping: 9.50\nPrice: 9.50 incl. VAT\nDeposit: 9.50"
    place = QuoteContext("Price: ", " incl. VAT", 40)
    assert quote_check.verify(text, "9.50", place).start == text.index("9.50 incl")


def test_without_a_place_anywhere_will_do() -> None:
    assert quote_check.verify(TEXT, "Alder").result == "found"


def test_a_stored_quote_is_found_at_its_start_and_moved_elsewhere() -> None:
    at = TEXT.index(QUOTE)
    assert quote_check.verify(TEXT, QUOTE, QuoteContext("", "", at)).result == "found"
    assert quote_check.verify(TEXT, QUOTE, QuoteContext("", "", at + 1)).result == "moved"


@pytest.mark.parametrize("quote", ["a" * 2_000, "a b " * 500, "ab" * 1_000, "="])
def test_hostile_texts_take_no_time(quote: str) -> None:
    text = ("a " * 1_000 + "\n") * 500
    assert quote_check.verify(text, quote, QuoteContext("a a a a", "a a a a", 5)).result


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The cafe\u0301 is open.", "The caf\u00e9 is open."),
        ("The caf\u00e9 is open.", "The cafe\u0301 is open."),
    ],
)
def test_a_letter_may_carry_its_marks_in_two_ways(text: str, quote: str) -> None:
    found = quote_check.verify(text, quote)
    assert (found.result, found.start, found.end, found.match) == (
        "found", 0, len(text), "normalised"
    )  # fmt: skip


def test_pages_that_repeat_themselves_are_compared_in_little_time() -> None:
    def look(words: int) -> None:
        quote_check.verify(f"{'abc ' * words}\n" * 5, f"{'abc ' * (words - 1)}xyz!")

    assert times_as_much(lambda: look(300), lambda: look(80), 12) < 12
