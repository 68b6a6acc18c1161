"""Usage: what the account did and spent, and how much it may."""

from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from typing import Literal

from citegrid.calls import Call, json_of
from citegrid.nouns.account.requests import RequestKey
from citegrid.nouns.noun import M, Noun, operation
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

UsageGroup = Literal["day", "key", "kind"]


class UsageSpent(ApiObject):
    """The amount that left the credit, minus refunds."""

    token: str
    amount: Decimal


class UsageTotal(ApiObject):
    """`counts` has `requests`, `searches`, `extractions`, `pages` and `chats`."""

    counts: Mapping[str, int]
    spent: tuple[UsageSpent, ...]


class UsageLine(UsageTotal):
    """`name` is a day in UTC, the id of a key or `signed_in`, or a kind."""

    name: str
    api_key: RequestKey | None


class RateLimit(ApiObject):
    """So many requests in so many seconds, with each API key or sign-in."""

    requests: int
    seconds: int


class WaitingJobs(ApiObject):
    """In the queue where the account has the most waiting jobs."""

    now: int
    most: int


class DocumentsLimit(ApiObject):
    """In all corpora of the account."""

    now: int
    most: int


class UsageLimits(ApiObject):
    """The server's limits for an account; None for those that an earlier server does not have."""

    read: RateLimit
    write: RateLimit
    waiting_jobs: WaitingJobs
    documents: DocumentsLimit | None = field(default_factory=lambda: None)
    document_bytes: DocumentsLimit | None = field(default_factory=lambda: None)
    passages: DocumentsLimit | None = field(default_factory=lambda: None)
    uploads_per_hour: DocumentsLimit | None = field(default_factory=lambda: None)


class Usage(ApiObject):
    """Both days of the period are in it, as `2026-11-22`. `embedding_seconds` are those of CPU that
    embedding the documents in the account's corpora has taken.
    """

    group: str
    first_day: str
    last_day: str
    lines: tuple[UsageLine, ...]
    total: UsageTotal
    limits: UsageLimits
    embedding_seconds: float = 0.0


class UsageReports(Noun[M]):
    """`client.usage`; takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/usage", Access.ACCOUNT)
    def get(self, *, group: UsageGroup | None = None, days: int | None = None) -> Call[Usage]:
        """The account's usage in the last `days` (default: 30), by day unless `group` is set."""
        return Call(json_of(Usage))
