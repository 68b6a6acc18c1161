"""The reach of a campaign's money: what a record pays, what a run reserves, what is left."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Final

from app.core.amounts import UNIT
from app.domains.campaigns.rewards import shares

RECORDS_A_PAGE: Final = 20
"""How many records a page is expected to hold at most, when a run reserves their rewards."""


def reward_of(amount: Decimal, records_target: int) -> Decimal:
    """The pay for one record; what the division leaves stays in the escrow."""
    return (amount / records_target).quantize(UNIT, ROUND_DOWN)


@dataclass(frozen=True, slots=True)
class Reservation:
    """The money that a run may spend: on so many records that are due, and on so many new ones."""

    due: int
    new: int
    amount: Decimal


def reservation(
    escrow: Decimal, reward: Decimal, *, pages: int, due: int, wanted: int
) -> Reservation:
    """The greatest cost of a run, within what the escrow holds. Records that are due go first."""
    part = shares.parts(reward).pool  # a record that is looked at again pays no contributor
    again = min(due, int(escrow // part)) if part else due
    left = escrow - part * again
    new = max(0, min(pages * RECORDS_A_PAGE, wanted, int(left // reward)))
    return Reservation(again, new, part * again + reward * new)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The runs and records that the money left is enough for; None where nothing tells."""

    runs_left: int | None
    records_left: int


def forecast(
    escrow: Decimal, reward: Decimal, *, wanted: int, usual_run: Decimal | None
) -> Forecast:
    runs = int(escrow // usual_run) if usual_run else None
    return Forecast(runs, min(max(0, wanted), int(escrow // reward)))
