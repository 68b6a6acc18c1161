"""The choice of an offer for an undecided chat: a draw by expected price and time, and by success.

A draw and no minimum: so new offers are measured, and no offer is flooded.
"""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

PRIOR_REQUESTS: Final = 20
"""How much what is usual for the model weighs against what was measured of an offer."""
SLOWNESS: Final = 0.25
USUAL_FIRST_TOKEN_MS: Final = 1_000.0
USUAL_TOKENS_PER_SECOND: Final = 30.0
USUAL_OUTPUT: Final = 300.0


@dataclass(frozen=True, slots=True)
class OfferMeasurements:
    """Of an offer lately. None: nothing was measured."""

    requests: int = 0
    failed: int = 0
    first_token_ms: float | None = None
    tokens_per_second: float | None = None
    output_tokens: float | None = None


@dataclass(frozen=True, slots=True)
class OfferCandidate:
    """Rates in USD per million tokens."""

    offer_id: UUID
    input_rate: Decimal
    output_rate: Decimal
    measured: OfferMeasurements = OfferMeasurements()


def choose(
    candidates: Sequence[OfferCandidate],
    *,
    input_tokens: int,
    most_output: int,
    draw: random.Random,
) -> OfferCandidate:
    weights = weigh(candidates, input_tokens=input_tokens, most_output=most_output)
    return draw.choices(candidates, weights)[0]


def weigh(
    candidates: Sequence[OfferCandidate], *, input_tokens: int, most_output: int
) -> list[float]:
    """Weighs how likely each is drawn, relative to the others: success⁴ ÷ (price, more when
    slow)².
    """
    usual = _usual([candidate.measured for candidate in candidates])
    output = min(float(most_output), usual.output_tokens or USUAL_OUTPUT)
    costs = [
        float(each.input_rate) * input_tokens + float(each.output_rate) * output
        for each in candidates
    ]
    times = [_seconds(each.measured, usual, output) for each in candidates]
    # Free offers need a price to be compared by.
    least = 0.01 * statistics.median(costs) or 1.0
    best = min(times)
    return [
        _success(each.measured) ** 4 / ((cost + least) * (1 + SLOWNESS * (time / best - 1))) ** 2
        for each, cost, time in zip(candidates, costs, times, strict=True)
    ]


def _usual(measured: Sequence[OfferMeasurements]) -> OfferMeasurements:
    """Returns the measurements usual for the model: the medians of its offers."""
    return OfferMeasurements(
        first_token_ms=_median([each.first_token_ms for each in measured], USUAL_FIRST_TOKEN_MS),
        tokens_per_second=_median(
            [each.tokens_per_second for each in measured], USUAL_TOKENS_PER_SECOND
        ),
        output_tokens=_median([each.output_tokens for each in measured], USUAL_OUTPUT),
    )


def _median(values: Sequence[float | None], otherwise: float) -> float:
    known = [value for value in values if value]
    return statistics.median(known) if known else otherwise


def _seconds(measured: OfferMeasurements, usual: OfferMeasurements, output: float) -> float:
    """To the last token of an answer of `output` tokens."""
    first = _blend(measured.first_token_ms, usual.first_token_ms, measured.requests)
    speed = _blend(measured.tokens_per_second, usual.tokens_per_second, measured.requests)
    return first / 1000 + output / speed


def _blend(own: float | None, usual: float | None, requests: int) -> float:
    """Moves what few requests measured towards what is usual."""
    expected = usual or 1.0
    if not own:
        return expected
    return (own * requests + expected * PRIOR_REQUESTS) / (requests + PRIOR_REQUESTS)


def _success(measured: OfferMeasurements) -> float:
    succeeded = measured.requests - measured.failed
    return (PRIOR_REQUESTS - 1 + succeeded) / (PRIOR_REQUESTS + measured.requests)
