"""Which items of an account are gold."""

import random

from app.engine.judging import gold


def test_the_first_twelve_are_gold() -> None:
    assert all(gold.due(0.99, newcomer=gold.in_probation(answers)) for answers in range(12))


def test_afterwards_one_in_twenty_is() -> None:
    dice = random.Random(2)
    due = sum(gold.due(dice.random(), newcomer=gold.in_probation(12)) for _ in range(10_000))
    assert 400 <= due <= 600


def test_half_of_them_are_right() -> None:
    dice = random.Random(3)
    right = sum(gold.wanted_truth(dice.random()) for _ in range(10_000))
    assert 4_700 <= right <= 5_300
