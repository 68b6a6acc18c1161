"""Figures and dates in sentences, and when two cannot both be true."""

from decimal import Decimal

import pytest

from app.engine.answer.sources.values import values


@pytest.mark.parametrize(
    ("sentence", "language", "value", "unit", "shown"),
    [
        ("It has 12 rooms.", "en", "12", "rooms", "12 rooms"),
        ("It has 1,234,567 rooms.", "en", "1234567", "rooms", "1,234,567 rooms"),
        ("Es hat 1.234 Zimmer.", "de", "1234", "zimmer", "1.234 Zimmer"),
        ("It weighs 2.5 tonnes.", "en", "2.5", "tonnes", "2.5 tonnes"),
        ("It cost $5 million then.", "en", "5000000", "$", "$5 million"),
        ("It has 3 million rooms.", "en", "3000000", "rooms", "3 million rooms"),
        ("It grew 40% more.", "en", "40", "%", "40%"),
        ("It is 5432 by default.", "en", "5432", "", "5432"),
        ("It has twelve rooms.", "en", "12", "rooms", "twelve rooms"),
        ("Es hat zwölf Zimmer.", "de", "12", "zimmer", "zwölf Zimmer"),
    ],
)
def test_figure_is_read_with_what_it_counts(
    sentence: str, language: str, value: str, unit: str, shown: str
) -> None:
    (figure,) = values(sentence, language)
    assert figure.number is not None
    assert figure.number.decimals[0] == Decimal(value)
    assert (figure.unit, figure.shown) == (unit, shown)


def test_a_year_is_a_date() -> None:
    (value,) = values("It opened in 1998.")
    assert (value.shown, value.number) == ("1998", None)


@pytest.mark.parametrize("text", ["3.11.2", "1,2,3,4", "٣٤", "1.2.", "0", "0.0", "00"])
def test_odd_numerals_are_read_without_an_error(text: str) -> None:
    assert all(x.shown for x in values(f"It is {text} units."))


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        # Rounding is no contradiction.
        ("298 rooms", "300 rooms", False),
        ("5432", "5433", True),
        ("100 rooms", "128 rooms", True),
        ("324 metres", "1,063 feet", False),
        ("0 rooms", "0 rooms", False),
        # Dates contradict in what both say.
        ("in 1889", "in 1890", True),
        ("in 1889", "in March 1889", False),
        ("in March 1889", "in May 1889", True),
        ("on 3 March 1889", "on March 3, 1889", False),
        ("on 3 March 1889", "on March 4, 1889", True),
        ("on 3 March 1889", "in March 1889", False),
    ],
)
def test_values_contradict_each_other_or_not(one: str, other: str, contradict: bool) -> None:
    (a,), (b,) = values(one), values(other)
    assert a.contradicts(b) is contradict
