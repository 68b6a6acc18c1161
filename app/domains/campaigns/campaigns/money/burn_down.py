"""The burn-down of a campaign's money, and its course if its runs cost what they usually do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from app.core.amounts import UNIT
from app.domains.money.ledger.store import Movement

FUNDED: Final = "fund"
_LEAST_RUNS_SHOWN: Final = 3
_FORESEEABLE: Final = timedelta(days=10 * 366)


@dataclass(frozen=True, slots=True)
class Point:
    at: datetime
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Pace:
    """At which a campaign spends: so much a run, the next at `next_run_at`, then each `every`."""

    usual_run: Decimal
    next_run_at: datetime
    every: timedelta


@dataclass(frozen=True, slots=True)
class BurnDown:
    """The money left after each movement, and lines to compare it with; all oldest first."""

    left: Sequence[Point]
    top_ups: Sequence[Point]
    even_pace: Sequence[Point]
    forecast: Sequence[Point]
    runs_out_at: datetime | None


def burn_down(
    movements: Sequence[Movement], *, until: datetime, ends_at: datetime | None, pace: Pace | None
) -> BurnDown:
    """From the movements of a campaign's money, oldest first.

    `until` is now, or when the campaign ended; without a `pace` nothing more is spent.
    """
    left = _left(movements, until)
    top_ups = [Point(each.at, each.amount) for each in movements if each.why == FUNDED]
    spends = left and pace is not None
    return BurnDown(
        left=left,
        top_ups=top_ups,
        even_pace=_even_pace(top_ups, ends_at),
        forecast=_forecast(left, pace, ends_at) if spends and pace else [],
        runs_out_at=_runs_out_at(left[-1].amount, pace) if spends and pace else None,
    )


def _left(movements: Sequence[Movement], until: datetime) -> list[Point]:
    points, amount = list[Point](), Decimal(0)
    for each in movements:
        amount += each.amount
        points.append(Point(each.at, amount))
    if points and points[-1].at < until:
        points.append(Point(until, amount))
    return points


def _even_pace(top_ups: Sequence[Point], ends_at: datetime | None) -> list[Point]:
    """All that came in, spent evenly until the end; a top-up lifts it. Nothing without an end."""
    points = list[Point]()
    for each in top_ups:
        if ends_at is None or each.at >= ends_at:
            break
        before = Decimal(0)
        if points:
            before = _on_the_way(points[-1], each.at, ends_at)
            points.append(Point(each.at, before))
        points.append(Point(each.at, before + each.amount))
    return [*points, Point(ends_at, Decimal(0))] if points and ends_at else []


def _on_the_way(since: Point, at: datetime, ends_at: datetime) -> Decimal:
    """The money left at a time between a point and nothing at the end."""
    return (since.amount * Decimal((ends_at - at) / (ends_at - since.at))).quantize(UNIT)


def _runs_out_at(left: Decimal, pace: Pace) -> datetime | None:
    """When a run begins for which less is left than a run costs; None: not in ten years."""
    runs = int(left // pace.usual_run)
    return pace.next_run_at + runs * pace.every if runs < _FORESEEABLE / pace.every else None


def _forecast(left: Sequence[Point], pace: Pace, ends_at: datetime | None) -> list[Point]:
    """A straight line from now, to where the money is out or the campaign; or, without an end, for
    as long as it has been running."""
    today = left[-1]
    if ends_at is None:
        ends_at = today.at + max(today.at - left[0].at, _LEAST_RUNS_SHOWN * pace.every)
    in_time = max(0, (ends_at - pace.next_run_at) // pace.every + 1)
    runs = min(int(today.amount // pace.usual_run), in_time)
    if runs == 0:
        return []
    last_at = pace.next_run_at + (runs - 1) * pace.every
    return [today, Point(max(today.at, last_at), today.amount - runs * pace.usual_run)]
