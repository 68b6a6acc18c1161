"""One network over its RPC: x402's `exact` scheme verifies and settles, the chain itself proves.

Loaded only where payments are configured (`rails.open_rails`). Texts of the libraries below carry
RPC URLs, and those carry keys: nothing of them is passed on, and the logs hide them.
"""

import functools
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeVar

from eth_account import Account
from eth_account.messages import encode_defunct
from web3 import Web3
from web3.exceptions import TransactionNotFound, Web3Exception
from web3.middleware import ExtraDataToPOAMiddleware
from x402.mechanisms.evm.exact import ExactEvmFacilitatorScheme
from x402.mechanisms.evm.exact.facilitator import ExactEvmSchemeConfig
from x402.schemas import PaymentPayload, PaymentRequirements

from app.core import db, log
from app.core.config.onchain import Network, networks
from app.core.config.settings import BadConfiguration, Settings
from app.core.db import roles
from app.domains.money.payments.interface import (
    UNDECIDED,
    Gas,
    PaymentCheckUnavailable,
    Proof,
    Rail,
    Requirement,
    Settlement,
    Transfer,
)
from app.domains.money.payments.x402 import chain
from app.domains.money.payments.x402.facilitator import Facilitator
from app.domains.money.payments.x402.signer import GAS_LIMIT, ChainReader, Sender
from app.domains.money.payments.x402.token import Token

logger = log.get(__name__)
Result = TypeVar("Result")

RPC_SECONDS: Final = 8.0
RECEIPT_SECONDS: Final = 8.0
# The facilitator wants 6 seconds left to settle in; a queue and a slow chain want more.
MOST_SECONDS: Final = 300
FAULTS = (OSError, Web3Exception, ValueError, KeyError, TypeError, RuntimeError)
"""No answer, or none that makes sense; OSError has all of requests' own."""


def opened(settings: Settings) -> Mapping[str, Rail]:
    """A rail for each configured network. Raises BadConfiguration naming bad addresses."""
    configured = networks(settings.onchain_networks)
    problems = [
        f"ONCHAIN_NETWORKS: {name} of {network.id} has a wrong checksum (EIP-55)"
        for network in configured
        for name in ("asset", "pay_to")
        if not _spelled(getattr(network, name))
    ]
    if problems:
        raise BadConfiguration("Configuration: " + "; ".join(problems))
    for network in configured:
        log.hide(network.rpc_url)
    log.hide(settings.onchain_gas_key)
    for name in ("x402", "web3"):  # at INFO they log every payment's parts
        logging.getLogger(name).setLevel(logging.ERROR)
    return {network.id: EvmRail(network, settings) for network in configured}


def _spelled(address: str) -> bool:
    """In one case only an address has no checksum; in both it must be right."""
    digits = address[2:]
    plain = digits in (digits.lower(), digits.upper())
    return plain or bool(Web3.is_checksum_address(address))


class EvmRail:
    """One chain, asset and payee. Threads may share it."""

    def __init__(self, network: Network, settings: Settings) -> None:
        self._network, self._settings = network, settings
        provider = Web3.HTTPProvider(
            network.rpc_url,
            request_kwargs={"timeout": RPC_SECONDS},
            exception_retry_configuration=None,
        )
        self._w3 = Web3(provider)
        self._w3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)
        self._reader = ChainReader(self._w3, Account.create())
        self._token: Token | None = None

    def __repr__(self) -> str:
        return f"EvmRail({self._network.id!r})"

    def requirement(self, price: Decimal) -> Requirement | None:
        if self._token is None:
            self._token = self._asking(self._read_token)
        amount = price.scaleb(self._token.decimals)
        if amount != amount.to_integral_value():
            return None
        return {
            "scheme": "exact",
            "network": self._network.id,
            "asset": Web3.to_checksum_address(self._network.asset),
            "amount": str(int(amount)),
            "payTo": Web3.to_checksum_address(self._network.pay_to),
            "maxTimeoutSeconds": MOST_SECONDS,
            "extra": {
                "name": self._token.name,
                "version": self._token.version,
                "paymentFlow": "upfront",
            },
        }

    def gas(self) -> Gas | None:
        if not self._settings.onchain_gas_key:
            return None
        wallet = self._gas_account.address
        balance = self._asking(lambda: self._w3.eth.get_balance(wallet))
        price = self._asking(lambda: self._w3.eth.gas_price)
        return Gas(wallet, int(balance), int(price) * GAS_LIMIT)

    def height(self) -> int:
        return int(self._asking(lambda: self._w3.eth.block_number))

    def verify(self, offer: dict[str, Any], requirement: Requirement) -> str | None:
        scheme = ExactEvmFacilitatorScheme(self._reader)
        verdict = self._asking(lambda: scheme.verify(*_models(offer, requirement)))
        if verdict.is_valid:
            return None
        if verdict.invalid_reason in UNDECIDED:
            raise PaymentCheckUnavailable(retry_after=2, why=verdict.invalid_reason)
        return verdict.invalid_reason or "invalid_payment"

    def proof(self, transfer: Transfer) -> Proof | None:
        return self._asking(lambda: chain.proof(self._w3, transfer))

    def expired(self, valid_before: datetime) -> bool:
        return self._asking(lambda: chain.expired(self._w3, valid_before))

    def await_broadcasts(self, transactions: list[str], seconds: float) -> bool:
        known = self._asking(lambda: [name for name in transactions if self._knows(name)])
        if not known:
            return False
        try:
            self._w3.eth.wait_for_transaction_receipt(known[-1], timeout=seconds)
        except FAULTS:
            logger.info("no receipt yet", network=self._network.id)
        return True

    def settle(
        self,
        offer: dict[str, Any],
        requirement: Requirement,
        on_exposure: Callable[[str | None], None],
    ) -> Settlement:
        if self._settings.onchain_facilitator_url:
            facilitator = Facilitator(self._settings.onchain_facilitator_url)
            return facilitator.settle(offer, requirement, on_exposure)
        sender = Sender(
            self._w3,
            self._gas_account,
            alone=self._alone,
            on_exposure=on_exposure,
            receipt_seconds=RECEIPT_SECONDS,
        )
        scheme = ExactEvmFacilitatorScheme(sender, ExactEvmSchemeConfig(simulate_in_settle=True))
        outcome = self._asking(lambda: scheme.settle(*_models(offer, requirement)))
        reason = outcome.error_reason or ""
        refused = not outcome.success and reason.startswith("invalid_") and reason not in UNDECIDED
        return Settlement(refused, reason)

    def recover(self, text: str, signature: str) -> str | None:
        try:
            signer = Account.recover_message(encode_defunct(text=text), signature=signature)
        except Exception:  # noqa: BLE001 (the libraries below raise what they like on odd bytes)
            return None
        return str(signer).lower()

    def _read_token(self) -> Token:
        if self._w3.eth.chain_id != self._network.chain_id:
            raise PaymentCheckUnavailable(retry_after=60, why=f"{self._network.id}: wrong chain")
        token = Token.read(self._w3, self._network.asset)
        if not token.domain_fits(self._network.chain_id):
            raise PaymentCheckUnavailable(retry_after=60, why=f"{self._network.id}: token domain")
        return token

    def _knows(self, transaction: str) -> bool:
        try:
            self._w3.eth.get_transaction(transaction)
        except TransactionNotFound:
            return False
        return True

    @functools.cached_property
    def _gas_account(self) -> Any:
        try:
            return Account.from_key(self._settings.onchain_gas_key)
        except Exception:  # noqa: BLE001 (its text would show the key)
            raise BadConfiguration("Configuration: ONCHAIN_GAS_KEY is no private key") from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One sender at a time with this wallet on this chain, among all processes and hosts.

        A lock of a database session, not of a transaction: RPC calls happen under it.
        """
        name = f"payments {self._network.id} {self._gas_account.address}"
        url, role = self._settings.session_url, roles.either(self._settings.database_role)
        with db.connect(url, role=role) as connection:
            connection.execute("select pg_advisory_lock(hashtextextended(%s, 0))", [name])
            yield

    def _asking(self, ask: Callable[[], Result]) -> Result:
        """Returns what `ask` returns; any fault of the node is PaymentCheckUnavailable."""
        try:
            return ask()
        except FAULTS as error:
            why = f"{self._network.id}: {type(error).__name__}"
            raise PaymentCheckUnavailable(retry_after=2, why=why) from None


def _models(
    offer: dict[str, Any], requirement: Requirement
) -> tuple[PaymentPayload, PaymentRequirements]:
    return (PaymentPayload.model_validate(offer), PaymentRequirements.model_validate(requirement))
