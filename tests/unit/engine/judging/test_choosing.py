"""The draw between offers of a model."""

import random
import uuid
from decimal import Decimal

import pytest

from app.engine.judging.offer_choice import OfferCandidate, OfferMeasurements, choose, weigh


def offer(input: str = "1", output: str = "1", **measured: float) -> OfferCandidate:
    return OfferCandidate(
        uuid.uuid4(), Decimal(input), Decimal(output), OfferMeasurements(**measured)
    )  # type: ignore[arg-type]


def shares(*offers: OfferCandidate) -> list[float]:
    weights = weigh(offers, input_tokens=100, most_output=100)
    return [weight / sum(weights) for weight in weights]


def test_equal_offers_are_equally_likely() -> None:
    assert shares(offer(), offer()) == pytest.approx([0.5, 0.5])


def test_half_the_price_is_four_times_as_likely() -> None:
    cheap, dear = shares(offer("1", "1"), offer("2", "2"))
    assert cheap / dear == pytest.approx(4, rel=0.05)


def test_a_free_offer_is_likely_and_not_certain() -> None:
    free, paid = shares(offer("0", "0"), offer("1", "1"))
    assert paid > 0
    assert free > 0.99


def test_offers_that_are_all_free_are_compared_by_time() -> None:
    fast, slow = shares(
        offer("0", "0", requests=100, first_token_ms=100, tokens_per_second=100),
        offer("0", "0", requests=100, first_token_ms=5_000, tokens_per_second=5),
    )
    assert fast > slow


def test_an_offer_that_fails_is_hardly_chosen() -> None:
    good, bad = shares(offer(requests=100), offer(requests=100, failed=80))
    assert bad < good / 50


def test_a_slow_offer_is_as_likely_as_one_that_costs_more() -> None:
    fast = offer(requests=1_000, first_token_ms=500, tokens_per_second=50)
    slow = offer(requests=1_000, first_token_ms=500, tokens_per_second=10)
    quick, patient = shares(fast, slow)
    assert 1.5 < quick / patient < 4


def test_a_new_offer_is_measured_too() -> None:
    known, new = shares(offer(requests=1_000, first_token_ms=300, tokens_per_second=60), offer())
    assert new > known / 2


def test_the_draw_follows_the_weights() -> None:
    cheap, dear = offer("1", "1"), offer("2", "2")
    draw = random.Random(7)
    drawn = [
        choose([cheap, dear], input_tokens=100, most_output=100, draw=draw) for _ in range(1_000)
    ]
    assert 150 < drawn.count(dear) < 250
