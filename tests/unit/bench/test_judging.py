"""A short form of the simulation: the product's own rules against a ring of 30 %."""

import pytest

from bench.judging import RULES, Figures, misses, simulate


@pytest.fixture(scope="module")
def ring_of_30() -> Figures:
    return simulate(RULES[2], 0.3, runs=1)


def test_a_ring_of_30_percent_gets_nothing_out_of_it(ring_of_30: Figures) -> None:
    assert misses(ring_of_30) == []


@pytest.mark.parametrize("kind", ["lazy", "random", "colluding"])
def test_most_of_those_who_do_not_look_are_suspended(ring_of_30: Figures, kind: str) -> None:
    assert ring_of_30.suspended[kind][0] > 0.9
