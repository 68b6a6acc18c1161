"""Prices: the number has to touch its currency."""

import pytest

from tests.unit.engine.extraction.reading import field, read, value

PRICE = field("price", type="number")
CURRENCY = field("currency", type="string")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1,234.50", 1234.5),
        ("1.234,50 €", 1234.5),
        ("2 for $5", 5),
        ("1,234,567.890 USD", 1234567.89),
        ("CHF 1'250.–", 1250),
        ("¥12,000", 12000),
        ("12000円", 12000),
        ("Rs. 1,50,000", 150000),
        ("-5.00 €", -5),
        ("$5.00/kg", 5),
        ("20% off $40", 40),
        ("kr 1 250,-", 1250),
        ("1 250,00 zł", 1250),
        ("USD5", 5),
        ("1299.50", 1299.5),
        ("$5.00 ($5.00)", 5),
    ],
)
def test_a_price_is_read(text: str, expected: float) -> None:
    assert value(text, PRICE) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Was £20 / Now £15",
        "£15 (RRP £20)",
        "15,00 € statt 20,00 €",
        "15 € au lieu de 20 €",
        "UVP 20 € 15 €",
    ],
)
def test_of_two_prices_the_one_that_was_is_not_the_price(text: str) -> None:
    assert value(text, PRICE) == 15


def test_a_field_may_ask_for_the_price_that_was() -> None:
    assert value("Was £20", field("old_price", type="number")) == 20


@pytest.mark.parametrize(
    "text", ["free", "ISBN 978-3-16", "3 boxes", "TOP 10", "20% off", "$", "call us", "v1.2.3"]
)
def test_what_states_no_price_has_none(text: str) -> None:
    assert read(text, PRICE) is None


@pytest.mark.parametrize(
    "text",
    [
        "from £10 to £20", "$20 $15", "$1.234", "£3.50 each (£7.00/kg)", "$10 - 39", "10 – 39 €",
        "$1.2M", "($5)",
    ],
)  # fmt: skip
def test_what_several_prices_fit_is_ambiguous(text: str) -> None:
    assert value(text, PRICE) == "?"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1.234 €", "de", 1234),
        ("1,234 €", "en", 1234),
        ("1,234 €", "de", "?"),
        ("1.234 €", "en", "?"),
        ("1.234 €", None, "?"),
    ],
)
def test_the_language_says_whether_three_digits_are_a_group(
    text: str, language: str | None, expected: object
) -> None:
    assert value(text, PRICE, language) == expected


def test_a_price_in_another_currency_than_wanted_is_none() -> None:
    wanted = field("price_eur", type="number")
    assert [value(text, wanted) for text in ("$5 US", "5 USD", "5 €", "5")] == [5, None, 5, 5]


@pytest.mark.parametrize(
    ("text", "url", "language", "expected"),
    [
        ("$5", "https://shop.test/", "en", None),
        ("$5", "https://shop.test/", "en-CA", "CAD"),
        ("$5", "https://shop.com.au/", "en", "AUD"),
        ("5 kr", "https://shop.se/", None, "SEK"),
        ("US$ 5", "https://shop.com.au/", "en", "USD"),
        ("5 EUR", "https://shop.test/", "en", "EUR"),
        ("5 zł", "https://shop.test/", "pl", "PLN"),
    ],
)
def test_a_shared_sign_names_a_currency_only_where_the_page_says_which(
    text: str, url: str, language: str | None, expected: str | None
) -> None:
    found = read(text, PRICE, language, url=url)
    assert found is not None
    assert found.currency == expected
    assert value(text, CURRENCY, language, url=url) == expected


@pytest.mark.parametrize("name", ["price", "annual_fee", "salary", "turnover"])
@pytest.mark.parametrize(
    "text",
    [
        "$5",
        "on request",
        "42,000 to 48,000 a year, thirteen times",
        "Adults 12 €, children and students 6 €, families of up to five 25 €, groups on request",
    ],
)
def test_an_amount_in_words_is_short_or_has_figures(name: str, text: str) -> None:
    assert value(text, field(name, type="string")) == text


@pytest.mark.parametrize("name", ["price", "annual_fee", "salary", "turnover"])
@pytest.mark.parametrize(
    "text",
    [
        "The Tern is not made for metal: its teeth break",
        "A blade of carbon steel, 21 cm, folding into a handle of ash. It cuts wet wood as well.",
        "The workshop cost us £420,000." + " It was a long year for all of us." * 6,
    ],
)
def test_a_paragraph_is_no_amount(name: str, text: str) -> None:
    assert value(text, field(name, type="string")) is None
    assert value(text, field("note", type="string")) == text
