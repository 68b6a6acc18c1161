"""Credit: what the account may spend on campaigns and chats."""

from datetime import datetime
from decimal import Decimal
from typing import Unpack

from citegrid.calls import Call, json_of
from citegrid.nouns.account.accounts import Credit
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import PageOptions
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject


class CreditEntry(ApiObject):
    """One entry of the account's credit; a negative amount was spent or set aside."""

    id: str
    token: str
    amount: Decimal
    why: str
    key: str
    posted_at: datetime


class Credits(ApiObject):
    """Balances, and a page of the entries that made them."""

    balances: tuple[Credit, ...]
    entries: tuple[CreditEntry, ...]
    has_more: bool
    next_cursor: str | None


class BoughtCredit(ApiObject):
    """The credit that a payment bought; `completed` when it can be spent."""

    id: str
    amount: Decimal
    token: str
    status: str


class CreditAccounts(Noun[M]):
    """`client.credits`; buying more is `citegrid.paid.PaidClient.buy_credit`."""

    @operation("GET", "/v1/credits", Access.ACCOUNT)
    def list(self, **page: Unpack[PageOptions]) -> Call[Credits]:
        """The account's credit per token, and its entries, newest first."""
        return Call(json_of(Credits))
