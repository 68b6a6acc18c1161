"""The price of a chat: the most it may cost, and what it cost. Rates are USD per million tokens."""

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any, Final

from app.core import untrusted_json
from app.core.amounts import UNIT

DEFAULT_OUTPUT: Final = 1_024
MOST_OUTPUT: Final = 131_072
_MILLION: Final = 1_000_000
_PER_MESSAGE: Final = 16
_PER_CHAT: Final = 64
_READ_AS_INPUT: Final = ("messages", "tools", "functions", "response_format")
"""What a model reads of a request."""


def input_bound(request: Mapping[str, Any]) -> int:
    """More tokens than any tokenizer makes of what the model reads: two bytes a token."""
    read = [request[name] for name in _READ_AS_INPUT if name in request]
    size = sum(len(untrusted_json.dumps(each)) for each in read)
    return -(-size // 2) + _PER_MESSAGE * len(request["messages"]) + _PER_CHAT


def output_bound(request: Mapping[str, Any]) -> int:
    given = request.get("max_completion_tokens") or request.get("max_tokens")
    return int(given or DEFAULT_OUTPUT)


def most(
    input_tokens: int, output_tokens: int, input_rate: Decimal, output_rate: Decimal
) -> Decimal:
    """The greatest cost, rounded up to the ledger's unit."""
    exact = (input_tokens * input_rate + output_tokens * output_rate) / _MILLION
    return exact.quantize(UNIT, ROUND_CEILING)


def cost(
    input_tokens: int, output_tokens: int, input_rate: Decimal, output_rate: Decimal
) -> Decimal:
    """With one rounding, half up: of rates with up to three decimals there is nothing to round."""
    exact = (input_tokens * input_rate + output_tokens * output_rate) / _MILLION
    return exact.quantize(UNIT, ROUND_HALF_UP)


def fee(cost: Decimal, percent: Decimal) -> Decimal:
    """Our part of it, rounded down."""
    return (cost * percent / 100).quantize(UNIT, ROUND_FLOOR)
