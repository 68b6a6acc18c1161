"""Places of workers that a queue needs: what an autoscaler goes by."""

import math
from dataclasses import dataclass
from typing import Final

BUSY_SHARE: Final = 0.8
"""Of the places at work. Beyond it the wait for a free one grows out of proportion."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The facts of the rule: a queue now, and as it was on average in the last minutes.

    `running_lately` and `ended_per_second` are those averages, `growth_per_second` how much faster
    work comes than it ends.
    """

    paused: bool
    waiting: int
    running: int
    places: int
    running_lately: float
    ended_per_second: float
    growth_per_second: float


def places_wanted(demand: Demand, target_seconds: float) -> int:
    """The number of places that do what comes, and begin what waits within `target_seconds`.

    By Little's law a job holds a place for as many seconds as jobs ran on average for each that
    ended a second. What comes takes that often a place, and so does what waits, spread over the
    target. Never more than there are jobs, since a place holds one, and some to spare for those
    that run; 0 when nothing waits and nothing has run in the last minutes. While nothing has ended,
    twice the places there are: the next look knows more.
    """
    running = math.ceil(max(demand.running, demand.running_lately) / BUSY_SHARE)
    if demand.paused:
        return demand.running
    most = demand.waiting + running
    if demand.ended_per_second <= 0 or demand.running_lately <= 0:
        return min(most, 2 * max(demand.places, demand.running, 1))
    held_seconds = demand.running_lately / demand.ended_per_second
    arrivals = max(0.0, demand.ended_per_second + demand.growth_per_second)
    places = held_seconds * (arrivals + demand.waiting / target_seconds) / BUSY_SHARE
    return min(most, math.ceil(places))
