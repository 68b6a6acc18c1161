"""Reputation: how often the votes of your nodes were right."""

from datetime import datetime

from citegrid.nouns.noun import M, Noun, operation
from citegrid.profiles.credentials import Access
from citegrid.service import Call, json_of
from citegrid.transport.codec import ApiObject


class Reputation(ApiObject):
    """Up to a day old. `interval_90` holds the share of right votes nine times of ten."""

    right: int
    wrong: int
    mean: float
    interval_90: tuple[float, ...]
    in_probation: bool
    suspended_at: datetime | None
    suspended_reason: str | None


class Reputations(Noun[M]):
    """`client.reputation` (preview)"""

    @operation("GET", "/v1/reputation", Access.KEY)
    def get(self) -> Call[Reputation]:
        """Preview. How often your nodes' votes were right, and whether they count."""
        return Call(json_of(Reputation, inside="reputation"))
