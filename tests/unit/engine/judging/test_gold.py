"""Which items of an account are gold."""

import random

from app.engine.judging import gold


def test_the_first_twelve_are_gold() -> None:
    assert all(gold.due(answers, draw=0.99) for answers in range(12))


def test_afterwards_one_in_twenty_is() -> None:
    dice = random.Random(2)
    due = sum(gold.due(12, dice.random()) for _ in range(10_000))
    assert 400 <= due <= 600


def test_half_of_them_are_right() -> None:
    dice = random.Random(3)
    right = sum(gold.wanted_truth(dice.random()) for _ in range(10_000))
    assert 4_700 <= right <= 5_300
