"""The test that every account takes, and the reputation that is shown of it."""

import pytest

from app.engine.judging.wald import HIGHEST, Answers, interval, mean


def after(pattern: str) -> Answers:
    answers = Answers()
    for sign in pattern:
        answers = answers.learned(sign == "+")
    return answers


def test_four_wrong_answers_in_a_row_suspend() -> None:
    assert not after("---").fails
    assert after("----").fails


def test_a_long_good_record_buys_no_licence() -> None:
    assert after("+" * 1_000).wald == HIGHEST
    assert after("+" * 1_000 + "-" * 7).fails


def test_nine_of_ten_right_is_never_suspended() -> None:
    assert not any(after("-+++++++++" * n).fails for n in range(1, 20))


def test_a_coin_is_found_out_soon() -> None:
    assert after("+-" * 6).fails


def test_the_mean_begins_at_eight_of_ten() -> None:
    assert mean(0, 0) == 0.8


# The quantiles of Beta(8, 2), Beta(108, 7) and Beta(8, 32) by numeric integration.
@pytest.mark.parametrize(
    ("right", "wrong", "low", "high"),
    [(0, 0, 0.5709, 0.9590), (100, 5, 0.8988, 0.9708), (0, 30, 0.1064, 0.3108)],
)
def test_the_interval_holds_ninety_percent(right: int, wrong: int, low: float, high: float) -> None:
    assert interval(right, wrong) == pytest.approx((low, high), abs=5e-4)


def test_many_answers_make_the_interval_narrow() -> None:
    low, high = interval(95_000, 5_000)
    assert 0.94 < low < high < 0.96
