"""The lot that decides who may take a seat of a record: never who asks fastest.

A record is open at first to about three times as many accounts as it has seats, and to twice as
many every half minute. Without it seats go to who polls fastest.
"""

import math
from hashlib import md5
from typing import Final
from uuid import UUID

ACCOUNTS_A_SEAT: Final = 3.0
DOUBLES_EVERY_SECONDS: Final = 30.0
_MOST_DOUBLINGS = 60.0


def ticket(record_id: UUID, account_id: UUID, salt: str = "") -> float:
    """The number in [0, 1) that an account drew for a record: always the same one."""
    drawn = md5(f"{record_id}{account_id}{salt}".encode(), usedforsecurity=False)
    return int.from_bytes(drawn.digest()[:4], "big") / 2**32


def share(seats: int, active: int, age_seconds: float) -> float:
    """Of `active` accounts the share to which a record with so many seats is open by now."""
    doublings = min(_MOST_DOUBLINGS, max(0.0, age_seconds) / DOUBLES_EVERY_SECONDS)
    at_first = ACCOUNTS_A_SEAT * seats / max(1, active)
    return min(1.0, at_first * math.exp2(doublings))


def drawn(number: float, seats: int, active: int, age_seconds: float) -> bool:
    """True if the holder of a ticket may take a seat."""
    return number < share(seats, active, age_seconds)
