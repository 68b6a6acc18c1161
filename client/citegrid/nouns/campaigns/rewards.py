"""Rewards, payouts and reputation: what your nodes earned, and how often their votes were right."""

from datetime import datetime
from decimal import Decimal
from typing import Literal, Unpack

from citegrid.calls import Call, json_of
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

RewardRole = Literal["contributor", "validator", "provider"]


class RewardBalance(ApiObject):
    """The rewards you have of one token; `frozen` is a part of `pending`."""

    token: str
    pending: Decimal
    frozen: Decimal
    available: Decimal
    payable: Decimal
    paid: Decimal
    next_available_at: datetime | None


class RewardEntry(ApiObject):
    """One reward, by which record or chat it was earned, and why."""

    id: str
    token: str
    amount: Decimal
    role: str
    campaign_id: str | None
    record_id: str | None
    record_version: int | None
    chat_id: str | None
    verdict: str | None
    why: str
    state: str
    available_at: datetime | None
    created_at: datetime


class Payout(ApiObject):
    """A request to be paid; `reference` is that of the transfer, once it is settled."""

    id: str
    token: str
    amount: Decimal
    destination: str
    status: str
    reference: str | None
    reason: str | None
    created_at: datetime
    ended_at: datetime | None


class Rewards(Noun[M]):
    """`client.rewards` (preview)"""

    @operation("GET", "/v1/rewards", Access.KEY)
    def get(self) -> Call[tuple[RewardBalance, ...]]:
        """Preview. Your balance per token, and when the next reward becomes available."""
        return Call(json_of(tuple[RewardBalance, ...], inside="rewards"))

    @operation("GET", "/v1/rewards/entries", Access.KEY)
    def entries(
        self,
        *,
        role: RewardRole | None = None,
        campaign_id: str | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[RewardEntry]]:
        """Preview. One page of your rewards, newest first; `limit` is 1 to 200."""
        return Call(page_of("entries", RewardEntry))

    iterate = every(entries, "Preview. All of your rewards, newest first, page after page.")


class Payouts(Noun[M]):
    """`client.payouts` (preview); takes an access token, see `client.sign_in`."""

    @operation("GET", "/v1/payouts", Access.ACCOUNT)
    def list(self, **page: Unpack[PageOptions]) -> Call[Page[Payout]]:
        """Preview. One page of your payouts, newest first; `limit` is 1 to 200."""
        return Call(page_of("payouts", Payout))

    iterate = every(list, "Preview. All of your payouts, newest first, page after page.")

    @operation("POST", "/v1/payouts", Access.ACCOUNT, makes=True)
    def request(
        self, token: str, amount: Decimal, destination: str, *, idempotency_key: str | None = None
    ) -> Call[Payout]:
        """Preview. Request that an available amount is sent; one of each token can be open."""
        return Call(json_of(Payout, inside="payout"))

    @operation("GET", "/v1/payouts/{payout_id}", Access.ACCOUNT)
    def get(self, payout_id: str) -> Call[Payout]:
        """Preview. A payout, and whether it is settled."""
        return Call(json_of(Payout, inside="payout"))


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
