"""How far a campaign's money goes."""

from decimal import Decimal

from app.domains.campaigns.campaigns.budget import Reservation, forecast, reservation, reward_of

R = Decimal("0.1")


def test_a_reward_is_rounded_down_to_whole_units() -> None:
    assert reward_of(Decimal(10), 3) == Decimal("3.333333333")


def test_a_run_reserves_no_more_than_the_escrow_pays() -> None:
    assert reservation(Decimal("0.35"), R, pages=9, due=0, wanted=50).amount == Decimal("0.3")


def test_a_run_reserves_no_more_than_is_wanted() -> None:
    assert reservation(Decimal(100), R, pages=9, due=0, wanted=4).new == 4


def test_a_run_without_pages_reserves_nothing() -> None:
    assert reservation(Decimal(100), R, pages=0, due=0, wanted=4).amount == 0


def test_records_that_are_due_go_first() -> None:
    reserved = reservation(Decimal("0.12"), R, pages=9, due=3, wanted=4)
    assert reserved == Reservation(due=3, new=0, amount=Decimal("0.09"))


def test_a_forecast_knows_no_runs_before_the_first() -> None:
    assert forecast(Decimal(1), R, wanted=3, usual_run=None).runs_left is None


def test_a_forecast_promises_no_more_records_than_are_wanted() -> None:
    assert forecast(Decimal(1), R, wanted=3, usual_run=Decimal("0.2")).records_left == 3
