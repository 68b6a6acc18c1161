"""Usage: what the account did and spent, and how much it may."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from citegrid.nouns.account.requests import RequestKey
from citegrid.nouns.noun import M, Noun, operation
from citegrid.profiles.credentials import Access
from citegrid.service import Call, json_of
from citegrid.transport.codec import ApiObject

UsageGroup = Literal["day", "key", "kind"]


@dataclass(frozen=True, slots=True)
class UsageSpent:
    """The amount that left the credit, less what came back of it."""

    token: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """`counts` has `requests`, `searches`, `extractions`, `pages` and `chats`."""

    counts: Mapping[str, int]
    spent: tuple[UsageSpent, ...]


@dataclass(frozen=True, slots=True)
class UsageLine(UsageTotal):
    """`name` is a day in UTC, the id of a key or `signed_in`, or a kind."""

    name: str
    api_key: RequestKey | None


@dataclass(frozen=True, slots=True)
class RateLimit:
    """So many requests in so many seconds, with each API key or sign-in."""

    requests: int
    seconds: int


@dataclass(frozen=True, slots=True)
class WaitingJobs:
    """In the queue that has most of the account's."""

    now: int
    most: int


@dataclass(frozen=True, slots=True)
class UsageLimits:
    """The limits of what the server lets an account do."""

    read: RateLimit
    write: RateLimit
    waiting_jobs: WaitingJobs


@dataclass(frozen=True, slots=True)
class Usage(ApiObject):
    """Both days of the period are in it, as `2026-11-22`."""

    group: str
    first_day: str
    last_day: str
    lines: tuple[UsageLine, ...]
    total: UsageTotal
    limits: UsageLimits


class UsageReports(Noun[M]):
    """`client.usage`; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/usage", Access.ACCOUNT)
    def get(self, *, group: UsageGroup | None = None, days: int | None = None) -> Call[Usage]:
        """Returns what the account did in the last `days`, 30 unless given, by day unless `group`
        says.
        """
        return Call(json_of(Usage))
