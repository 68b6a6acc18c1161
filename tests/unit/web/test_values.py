"""Numbers and sizes as pages show them."""

import pytest

from app.web.frame.rendering import in_bytes, number


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (999_999_999, "1.0 GB"),
        (5_000_000_000_000, "5000.0 GB"),
    ],
)
def test_a_size_is_in_the_unit_in_which_it_is_below_a_thousand(count: int, text: str) -> None:
    assert in_bytes(count) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(12_345, "12,345"), ("1234.50", "1,234.50"), ("-0.5", "-0.5"), (None, "–")],
)
def test_a_number_keeps_its_sign_and_its_digits(value: int | str | None, text: str) -> None:
    assert number(value) == text
