"""The token estimate: bytes by 3.5, and cutting to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.models.tokens import cut, estimate


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcdefg", 2), ("灯塔", 2), ("a" * 35, 10)])
def test_a_token_is_three_and_a_half_bytes(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(), st.integers(0, 50))
def test_what_is_cut_costs_no_more_than_allowed_and_is_a_beginning(text: str, tokens: int) -> None:
    beginning = cut(text, tokens)
    assert estimate(beginning) <= tokens
    assert text.startswith(beginning)
