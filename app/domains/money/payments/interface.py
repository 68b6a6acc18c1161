"""The interface of a chain: what it must be able to report and do for a payment."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Protocol

from app.core.errors import AppError

Requirement = dict[str, Any]
"""`PaymentRequirements` of x402 version 2, in JSON's types."""


class PaymentCheckUnavailable(AppError):
    """The blockchain is unavailable. Nothing was charged. Send the same payment again."""

    code, status, retryable = "payment_check_unavailable", 503, True


@dataclass(frozen=True, slots=True)
class Transfer:
    """The transfer that a proof looks for: this authorization moved this amount to this address."""

    asset: str
    payer: str
    nonce: str
    pay_to: str
    amount: int
    from_block: int
    valid_before: datetime


@dataclass(frozen=True, slots=True)
class Proof:
    transaction: str
    log_index: int


@dataclass(frozen=True, slots=True)
class Gas:
    """The wallet that settles, its balance, and what a settlement costs at most; in wei."""

    wallet: str
    balance: int
    settlement: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """The answer of a settler. `refused` only if nothing of this attempt can reach the chain."""

    refused: bool
    reason: str


UNDECIDED: Final = frozenset(
    {
        "invalid_exact_evm_failed_to_verify_signature",
        "invalid_exact_evm_transaction_simulation_failed",
    }
)
"""Refusals of x402 that an RPC outage produces as well: no verdict on a payment."""


class Rail(Protocol):
    """One network. Every method but `settle` only reads; all raise PaymentCheckUnavailable."""

    def requirement(self, price: Decimal) -> Requirement | None:
        """The requirement that we ask for, with the token's own name and version. Raises also if it
        is not it.

        None when the token cannot be divided so finely.
        """

    def gas(self) -> Gas | None:
        """The gas of the account that settles, or None where a facilitator does."""

    def height(self) -> int:
        """The number of the latest block."""

    def verify(self, offer: dict[str, Any], requirement: Requirement) -> str | None:
        """Why the payment would be refused, or None."""

    def proof(self, transfer: Transfer) -> Proof | None:
        """Finds the transfer on the chain, or None if it is not there yet."""

    def expired(self, valid_before: datetime) -> bool:
        """True if, by the chain's own clock, the authorization can never be used any more."""

    def await_broadcasts(self, transactions: list[str], seconds: float) -> bool:
        """Wait for one that the node knows to be mined; False if it knows none of them."""

    def settle(
        self,
        offer: dict[str, Any],
        requirement: Requirement,
        on_exposure: Callable[[str | None], None],
    ) -> Settlement:
        """Have the transfer sent. `on_exposure` is called before anything leaves this process.

        It is given the transaction's hash if that is known. What it raises stops the attempt.
        """

    def recover(self, text: str, signature: str) -> str | None:
        """The address that signed `text` (EIP-191), in lower case, or None."""
