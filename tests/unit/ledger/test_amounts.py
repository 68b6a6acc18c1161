"""Amounts: read strictly, written one way, divided without loss."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.amounts import UNIT, amount, split, text

units = st.integers(0, 10**21 - 1)


@given(units)
def test_an_amount_is_read_back_as_it_was_written(n: int) -> None:
    assert amount(text(UNIT * n)) == UNIT * n


@pytest.mark.parametrize(
    "spelling",
    ["", "1.", ".5", "01", "-1", "+1", "1e3", "NaN", "1_0", "0.0000000001", "1\n", "1" + 12 * "0"],
)
def test_another_spelling_is_no_amount(spelling: str) -> None:
    with pytest.raises(ValueError, match="not an amount"):
        amount(spelling)


@pytest.mark.parametrize(
    ("value", "written"),
    [("5.000000000", "5"), ("0E-9", "0"), ("1E+3", "1000"), ("0.10", "0.1"), ("100", "100")],
)
def test_an_amount_has_one_spelling(value: str, written: str) -> None:
    assert text(Decimal(value)) == written


@given(units, st.integers(1, 200))
def test_a_division_loses_nothing(n: int, parts: int) -> None:
    assert sum(split(UNIT * n, parts)) == UNIT * n


@given(units, st.integers(1, 200))
def test_parts_differ_by_a_unit_at_most_and_the_first_are_larger(n: int, parts: int) -> None:
    shares = split(UNIT * n, parts)
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] <= UNIT


def test_half_a_unit_cannot_be_divided() -> None:
    with pytest.raises(ValueError, match="whole units"):
        split(UNIT / 2, 2)
