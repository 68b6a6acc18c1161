"""Amounts and tokens in bodies: decimal strings of one form, and nothing else."""

import re
from decimal import Decimal
from typing import Any

import pytest
from marshmallow import Schema, ValidationError

from app.core import amounts
from app.core.http.fields import Amount, PositiveAmount, Token


class Priced(Schema):
    amount = Amount()
    more = PositiveAmount()
    token = Token()


def test_an_amount_is_a_decimal_inside_and_a_string_outside() -> None:
    assert Priced().load({"amount": "2.50"}) == {"amount": Decimal("2.50")}
    assert Priced().dump({"amount": Decimal("2.500000000")}) == {"amount": "2.5"}


@pytest.mark.parametrize("amount", [1, 1.5, "1e3", "-1", "NaN", "0.0000000001", "1\n", None])
def test_another_amount_is_refused(amount: Any) -> None:
    with pytest.raises(ValidationError):
        Priced().load({"amount": amount})


@pytest.mark.parametrize("amount", ["0", "0.0", "0.000000000"])
def test_nothing_is_no_positive_amount_and_the_pattern_says_so(amount: str) -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        Priced().load({"more": amount})
    assert re.search(amounts.POSITIVE_PATTERN, amount) is None
    assert Priced().load({"amount": amount}) == {"amount": Decimal(0)}


@pytest.mark.parametrize("token", ["usd", "U", "1USD", "USD\n", "U" * 17, 5])
def test_another_token_is_refused(token: Any) -> None:
    with pytest.raises(ValidationError):
        Priced().load({"token": token})
