"""How a campaign's money went down, and how it will."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from app.domains.campaigns.campaigns.money.burn_down import BurnDown, Pace, Point, burn_down
from app.domains.money.ledger.store import Movement

START = datetime(2026, 11, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def day(number: int) -> datetime:
    return START + number * DAY


def made(
    *movements: tuple[int, str, str],
    until: int = 10,
    ends: int | None = None,
    pace: Pace | None = None,
) -> BurnDown:
    return burn_down(
        [Movement(day(at), why, Decimal(amount)) for at, why, amount in movements],
        until=day(until),
        ends_at=None if ends is None else day(ends),
        pace=pace,
    )


def each_day(usual_run: str, since: int = 11) -> Pace:
    return Pace(Decimal(usual_run), day(since), DAY)


def amounts(points: object) -> list[tuple[int, str]]:
    assert isinstance(points, list)
    return [((point.at - START).days, f"{point.amount.normalize():f}") for point in points]


FUNDED = (0, "fund", "10")


def test_what_is_left_is_the_sum_of_what_moved_up_to_now() -> None:
    burnt = made(FUNDED, (2, "record accepted", "-3"), (4, "dispute upheld", "1"))
    assert amounts(burnt.left) == [(0, "10"), (2, "7"), (4, "8"), (10, "8")]


def test_a_campaign_without_money_has_no_line() -> None:
    assert made() == BurnDown([], [], [], [], None)


def test_only_what_its_owner_gave_is_a_top_up() -> None:
    burnt = made(FUNDED, (4, "dispute upheld", "1"), (5, "fund", "2"))
    assert amounts(burnt.top_ups) == [(0, "10"), (5, "2")]


def test_an_even_pace_goes_straight_to_nothing_at_the_end() -> None:
    assert amounts(made(FUNDED, ends=20).even_pace) == [(0, "10"), (20, "0")]


def test_a_top_up_lifts_the_even_pace() -> None:
    even = made(FUNDED, (10, "fund", "6"), ends=20).even_pace
    assert amounts(even) == [(0, "10"), (10, "5"), (10, "11"), (20, "0")]


def test_without_an_end_there_is_no_even_pace() -> None:
    assert made(FUNDED).even_pace == []


def test_the_forecast_goes_on_until_no_run_can_be_paid() -> None:
    burnt = made(FUNDED, pace=each_day("4"))
    assert amounts(burnt.forecast) == [(10, "10"), (12, "2")]
    assert burnt.runs_out_at == day(13)


def test_the_forecast_ends_with_the_campaign() -> None:
    burnt = made(FUNDED, ends=14, pace=each_day("1"))
    assert amounts(burnt.forecast) == [(10, "10"), (14, "6")]
    assert burnt.runs_out_at == day(21)


def test_without_an_end_the_forecast_is_as_long_as_the_past() -> None:
    assert amounts(made(FUNDED, pace=each_day("0.1")).forecast) == [(10, "10"), (20, "9")]


def test_without_a_pace_nothing_is_foretold() -> None:
    burnt = made(FUNDED, ends=20)
    assert (burnt.forecast, burnt.runs_out_at) == ([], None)


def test_an_end_that_nobody_will_see_is_not_named() -> None:
    assert made(FUNDED, pace=each_day("0.000000001")).runs_out_at is None


def test_a_run_that_is_late_is_foretold_for_now() -> None:
    assert made(FUNDED, pace=each_day("10", since=9)).forecast[-1] == Point(day(10), Decimal(0))
