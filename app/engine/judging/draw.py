"""The draw that decides who may take an assignment of a record: never who asks fastest.

A record is open at first to about three times as many accounts as it has assignments, and to twice
as many every half minute. `work_lot` in the database computes the same number.
"""

import math
from hashlib import md5
from typing import Final
from uuid import UUID

ACCOUNTS_AN_ASSIGNMENT: Final = 3.0
DOUBLES_EVERY_SECONDS: Final = 30.0
_MOST_DOUBLINGS = 60.0


def number(record_id: UUID, account_id: UUID, salt: str = "") -> float:
    digest = md5(f"{record_id}{account_id}{salt}".encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


def share(assignments: int, active: int, age_seconds: float) -> float:
    """Of `active` accounts the share to which a record with so many assignments is open by now."""
    doublings = min(_MOST_DOUBLINGS, max(0.0, age_seconds) / DOUBLES_EVERY_SECONDS)
    at_first = ACCOUNTS_AN_ASSIGNMENT * assignments / max(1, active)
    return min(1.0, at_first * math.exp2(doublings))


def selects(number: float, assignments: int, active: int, age_seconds: float) -> bool:
    """True if the account with this number may take an assignment."""
    return number < share(assignments, active, age_seconds)
