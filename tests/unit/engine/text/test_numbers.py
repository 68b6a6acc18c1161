"""Numbers of a text: what they are worth, and when two are the same."""

from decimal import Decimal

import pytest

from app.engine.text.numbers import numbers, value


@pytest.mark.parametrize(
    ("text", "language", "worth"),
    [
        ("12", "en", "12"),
        ("1,234,567", "en", "1234567"),
        ("1.234,5", "de", "1234.5"),
        ("1,234.5", "en", "1234.5"),
        ("1.458", "en", "1.458"),
        ("1.458", "de", "1458"),
        ("0,458", "de", "0.458"),
        ("1'234", "de", "1234"),
        ("1.2 million", "en", "1200000"),
        ("3 Billionen", "de", "3000000000000"),
        ("2 billion", "en", "2000000000"),
        ("2 billion", "de", "2000000000000"),
        ("twenty-five", "en", "25"),
        ("zwölf", "de", "12"),
        ("१२", "hi", "12"),
        ("12 000", "fr", "12000"),
        ("−5", "en", "-5"),
        ("1½", "en", "1.5"),
        ("٣٫٥", "ar", "3.5"),
    ],
)
def test_a_number_has_its_value(text: str, language: str, worth: str) -> None:
    (number,) = numbers(text, language)
    assert number.values[0].value == Decimal(worth)


@pytest.mark.parametrize(("text", "language"), [("two-three", "en"), ("quatre-vingt", "fr")])
def test_words_that_are_not_added_up_are_no_number(text: str, language: str) -> None:
    assert numbers(text, language) == []


@pytest.mark.parametrize(
    "digits", ["3.11.2", "1.2,3.4", "1,2,3,4", "1.2.3,4", pytest.param("9" * 2_000_000, id="long")]
)
def test_what_is_no_number_has_no_value(digits: str) -> None:
    assert value(digits) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.458", "1.46"),
        ("1.458", "1.5"),
        ("1,033", "1.033"),
        ("298", "300"),
        ("1,234,567", "1.2 million"),
        ("2.4", "2"),
        ("3.11.2", "3.11.2"),
        ("0", "0.0"),
    ],
)
def test_a_number_agrees_with_its_rounding(one: str, other: str) -> None:
    (a,), (b,) = numbers(one, "en"), numbers(other, "en")
    assert a.agrees(b)
    assert b.agrees(a)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.458", "1.47"),
        ("1.458", "1.4"),
        ("5432", "5433"),
        ("100", "128"),
        ("3.11.2", "3.11.3"),
        ("3.11.2", "3.11"),
        ("1.5 million", "1.5 billion"),
        ("15", "1.5"),
    ],
)
def test_another_number_does_not_agree(one: str, other: str) -> None:
    (a,), (b,) = numbers(one, "en"), numbers(other, "en")
    assert not a.agrees(b)


@pytest.mark.parametrize("text", ["B12", "x86", "1_000", "1e5"])
def test_digits_of_a_name_are_no_number(text: str) -> None:
    assert numbers(text, "en") == []


def test_rounding_is_not_equality() -> None:
    (a,), (b,) = numbers("1.458"), numbers("1.46")
    assert not a.equals(b)


def test_a_number_is_found_where_it_stands() -> None:
    text = "It has 1.2 million rooms and twelve doors."
    assert [text[x.start : x.end] for x in numbers(text, "en")] == ["1.2 million", "twelve"]
