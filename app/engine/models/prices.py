"""The cost of tokens."""

from decimal import Decimal


def cost(
    input_tokens: int, output_tokens: int, input_price: float, output_price: float
) -> Decimal | None:
    """By the prices of a million tokens; None when there is none."""
    if not input_price and not output_price:
        return None
    paid = input_tokens * Decimal(str(input_price)) + output_tokens * Decimal(str(output_price))
    return (paid / 1_000_000).quantize(Decimal("0.000001"))
