"""The account: made once, read by whoever is signed in."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from citegrid.credentials import Access
from citegrid.decoding import Answered
from citegrid.noun import M, Noun, operation
from citegrid.service import Call, json_of, nothing


@dataclass(frozen=True, slots=True)
class Account(Answered):
    id: str
    email: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Credit:
    """What the account may spend of one token."""

    token: str
    available: Decimal


@dataclass(frozen=True, slots=True)
class OwnAccount(Answered):
    account: Account
    credit: tuple[Credit, ...]


class Accounts(Noun[M]):
    """`client.accounts`"""

    @operation("POST", "/v1/accounts", Access.NONE, makes=True)
    def create(
        self, email: str, password: str, *, idempotency_key: str | None = None
    ) -> Call[Account]:
        """Create an account, where the operator allows it."""
        return Call(
            into=json_of(Account, inside="account"),
            body={"email": email, "password": password},
            idempotency_key=idempotency_key,
        )

    @operation("GET", "/v1/account", Access.ACCOUNT)
    def get(self) -> Call[OwnAccount]:
        """The signed-in account and its credit."""
        return Call(into=json_of(OwnAccount))

    @operation("POST", "/v1/account/password", Access.ACCOUNT)
    def change_password(self, current_password: str, new_password: str) -> Call[None]:
        """Change the password: every other sign-in of the account ends, its API keys stay."""
        return Call(
            into=nothing,
            body={"current_password": current_password, "new_password": new_password},
        )
