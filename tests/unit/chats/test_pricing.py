"""The greatest cost of a chat, and what it cost."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domains.providers.chats import pricing

RATES = st.decimals(0, 1_000, places=9)
TOKENS = st.integers(0, 2_000_000)


@given(TOKENS, TOKENS, RATES, RATES)
def test_a_cost_within_the_bounds_is_never_above_the_hold(
    inputs: int, outputs: int, input_rate: Decimal, output_rate: Decimal
) -> None:
    held = pricing.most(inputs, outputs, input_rate, output_rate)
    assert pricing.cost(inputs, outputs, input_rate, output_rate) <= held


def test_rates_with_three_decimals_need_no_rounding() -> None:
    assert pricing.cost(7, 3, Decimal("0.125"), Decimal("1.5")) == Decimal("0.000005375")


@pytest.mark.parametrize(("rate", "cost"), [("0.0005", "1E-9"), ("0.0004", "0")])
def test_a_cost_is_rounded_once_half_up(rate: str, cost: str) -> None:
    assert pricing.cost(1, 0, Decimal(rate), Decimal(0)) == Decimal(cost)


def test_the_bound_of_the_input_counts_what_the_model_reads() -> None:
    bare = {"messages": [{"role": "user", "content": "x" * 1_000}]}
    with_tools = {**bare, "tools": [{"type": "function", "function": {"name": "y" * 1_000}}]}
    assert 500 < pricing.input_bound(bare) < 650
    assert pricing.input_bound(with_tools) > pricing.input_bound(bare) + 500


def test_an_answer_without_a_limit_has_one() -> None:
    assert pricing.output_bound({}) == 1_024
    assert pricing.output_bound({"max_tokens": None, "max_completion_tokens": 5}) == 5


def test_the_fee_is_rounded_down() -> None:
    assert pricing.fee(Decimal("0.000000019"), Decimal(10)) == Decimal("0.000000001")
