"""The sample of records extracted twice, and the interval of their agreement."""

import random
from fractions import Fraction
from uuid import UUID

import pytest

from app.engine.extraction.site.agreement import interval
from bench.extract.agreement import covered, sample

RUNS = 200


def records(many: int) -> list[UUID]:
    generator = random.Random(many)
    return [UUID(int=generator.getrandbits(128)) for _ in range(many)]


# Newcombe (1998), Table I, method 4.
@pytest.mark.parametrize(
    ("passed", "compared", "low", "high"),
    [
        (81, 263, 0.2535, 0.3682),
        (15, 148, 0.0598, 0.1644),
        (0, 20, 0.0, 0.2005),
        (1, 29, 0.0018, 0.1963),
    ],
)
def test_the_interval_is_newcombes_fourth(
    passed: int, compared: int, low: float, high: float
) -> None:
    assert interval(passed, compared) == pytest.approx((low, high), abs=0.0001)


def test_the_interval_is_symmetric() -> None:
    low, high = interval(7, 50)
    assert interval(43, 50) == pytest.approx((1 - high, 1 - low))


def test_nothing_compared_says_nothing() -> None:
    assert interval(0, 0) == (0.0, 1.0)


def test_all_agreeing_leaves_room_for_errors_not_seen() -> None:
    low, high = interval(20, 20)
    assert low < 0.85
    assert high == 1.0


@pytest.mark.parametrize("compared", [1, 2, 7, 1000])
def test_the_interval_holds_the_rate_and_stays_within_0_and_1(compared: int) -> None:
    for passed in range(compared + 1):
        low, high = interval(passed, compared)
        assert 0 <= low <= passed / compared <= high <= 1


@pytest.mark.parametrize(
    ("many", "rate", "size"),
    [(0, 0.1, 0), (1, 0.1, 1), (20, 0.1, 2), (21, 0.1, 3), (1000, 0.07, 70), (5, 1.0, 5)],
)
def test_a_sample_is_the_rate_of_the_records_rounded_up(many: int, rate: float, size: int) -> None:
    assert len(sample(records(many), UUID(int=1), rate)) == size


def test_a_sample_is_the_same_for_the_same_run_in_any_order() -> None:
    listed = records(100)
    assert sample(listed, UUID(int=1), 0.1) == sample(reversed(listed), UUID(int=1), 0.1)


def test_another_run_samples_other_records() -> None:
    listed = records(100)
    assert sample(listed, UUID(int=1), 0.1) != sample(listed, UUID(int=2), 0.1)


@pytest.mark.parametrize(
    ("many", "rate", "errors"),
    [(40, "1", "0.3"), (200, "0.1", "0.02"), (200, "0.1", "0.1"), (400, "0.05", "0.3")],
)
def test_the_interval_covers_the_planted_share_in_19_of_20_runs(
    many: int, rate: str, errors: str
) -> None:
    assert covered(many, Fraction(rate), Fraction(errors), RUNS) >= 0.95 * RUNS
