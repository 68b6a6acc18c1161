"""Quotes of a value, found again in the text of a page."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.extraction.text.location import QuoteFinder, TextSlice

PAGE = "Lamp “Alder”\nPrice: $1,299.50 incl. VAT\nRating 4 of 5\nSize 4 m\nIn stock: 14\nNot −4 °C"


def at(quote: str, **more: Any) -> TextSlice | None:
    return QuoteFinder(PAGE).place(quote, **more)


def slice_of(quote: str, **more: object) -> str | None:
    place = at(quote, **more)
    return PAGE[place.start : place.end] if place else None


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("$1,299.50", "$1,299.50"),
        ("1,299.50", "$1,299.50"),
        ('Lamp "Alder"', "Lamp “Alder”"),
        ("price:  $1,299.50", None),
        ("299.50", None),
        ("tock", None),
        ("Lamp Alder", None),
        ("", None),
    ],
)
def test_a_value_is_found_exactly_or_folded_but_never_inside_a_word(
    quote: str, expected: str | None
) -> None:
    assert slice_of(quote) == expected


def test_it_says_whether_it_is_exact() -> None:
    places = [at(quote) for quote in ("Lamp “Alder”", 'Lamp "Alder"')]
    assert [place and place.match for place in places] == ["exact", "normalised"]


def test_what_stands_beside_it_decides_between_several_places() -> None:
    place = at("4", prefix="Size ")
    assert place is not None
    assert PAGE[place.start - 5 : place.end + 2] == "Size 4 m"


def test_else_the_candidate_decides() -> None:
    start = PAGE.index("4 m")
    assert at("4", near=(start, start + 1)) == at("4", prefix="Size ")


def test_a_short_quote_that_stands_in_several_places_is_at_none() -> None:
    assert at("4") is None


def test_a_long_quote_is_at_the_first_of_them() -> None:
    text = "a lamp of brass, a lamp of brass"
    place = QuoteFinder(text).place("a lamp of brass")
    assert place is not None
    assert place.start == 0


@given(st.text(max_size=60), st.text(min_size=1, max_size=12), st.text(max_size=8))
def test_a_place_is_inside_the_text(page: str, quote: str, beside: str) -> None:
    located = QuoteFinder(page + quote + beside)
    place = located.place(quote, page, beside)
    if place is not None:
        assert 0 <= place.start < place.end <= len(located.text)
