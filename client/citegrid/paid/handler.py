"""The wallet that pays: its key, the chains it may pay on, and how much at most."""

import contextlib
import os
import re
import secrets
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, NoReturn, Self

from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount

from citegrid.paid.challenge import IDENTIFIER, Challenge, Requirement, encode
from citegrid.paid.context import PaymentContext
from citegrid.paid.errors import NothingPaid

USDC: Final[Mapping[str, str]] = {
    "eip155:1": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    "eip155:137": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
    "eip155:8453": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    "eip155:42161": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    "eip155:43114": "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
    "eip155:84532": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
}
"""The dollar tokens paid with unless others are named: a server could ask for anything."""

LONGEST_SECONDS: Final = 3600
_KEY: Final = re.compile(r"(0x)?[0-9a-fA-F]{64}", re.ASCII)
_NETWORK: Final = re.compile(r"eip155:[1-9][0-9]{0,19}", re.ASCII)
_TYPES: Final = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}


class PaymentHandler:
    """Signs payments within limits. Its key is shown by nothing and leaves it in no form.

    `rpc_urls` maps each network it may pay on (`eip155:<chain id>`) to an RPC of that chain, which
    is asked whether a payment makes sense before it is signed. `max_amount` is in whole units of
    the token. `assets` names the token of each network where it is not the usual dollar.
    """

    __slots__ = ("_account", "_assets", "_max_amount", "_rpc_urls")

    def __init__(
        self,
        private_key: str,
        rpc_urls: Mapping[str, str],
        *,
        max_amount: Decimal | str = "1",
        assets: Mapping[str, str] | None = None,
    ) -> None:
        """Raises ValueError, which repeats nothing of the key or the URLs."""
        for network in rpc_urls:
            if not _NETWORK.fullmatch(network):
                raise ValueError("networks are named like eip155:8453")
        self._account = _account(private_key)
        self._rpc_urls = dict(rpc_urls)
        self._max_amount = _limit(max_amount)
        self._assets = {**USDC, **(assets or {})}

    @classmethod
    def from_env(
        cls, rpc_urls: Mapping[str, str], var: str = "PAYER_PRIVATE_KEY", **limits: Any
    ) -> Self:
        """With the key in this environment variable. Raises ValueError."""
        key = os.environ.get(var)  # noqa: TID251 (this door to the environment is asked for)
        if not key:
            raise ValueError(f"{var} is not set")
        return cls(key, rpc_urls, **limits)

    @property
    def address(self) -> str:
        """Of the wallet that pays."""
        return str(self._account.address)

    @property
    def max_amount(self) -> Decimal:
        return self._max_amount

    def rpc_url(self, network: str) -> str:
        return self._rpc_urls[network]

    def choose(self, challenge: Challenge) -> Requirement:
        """The first requirement on a chain and in a token that is paid with. Raises NothingPaid."""
        for each in challenge.requirements:
            wanted = self._assets.get(each.network, "")
            if each.network in self._rpc_urls and wanted.lower() == each.asset.lower():
                return each
        known = ", ".join(sorted(self._rpc_urls)) or "none"
        tokens = [f"{each.asset} on {each.network}" for each in challenge.requirements]
        asked = ", ".join(tokens) or "a kind of payment that is not known here"
        raise NothingPaid(
            f"The server asks for no payment that this wallet makes (networks: {known}). It asks"
            f" for {asked}. Name a token that is not the usual dollar in `assets`."
        )

    def pay(
        self,
        challenge: Challenge,
        requirement: Requirement,
        base_url: str,
        body: Mapping[str, Any],
    ) -> PaymentContext:
        """Sign (EIP-3009, EIP-712); nothing is sent."""
        seconds = min(requirement.seconds, LONGEST_SECONDS)
        authorization = {
            "from": self.address,
            "to": requirement.pay_to,
            "value": str(requirement.amount),
            "validAfter": "0",
            "validBefore": str(int(time.time()) + seconds),
            "nonce": "0x" + secrets.token_hex(32),
        }
        identifier = "pay_" + secrets.token_hex(16)
        payment = {
            "x402Version": 2,
            "resource": challenge.resource,
            "accepted": requirement.original,
            "payload": {
                "authorization": authorization,
                "signature": self._signed(requirement, authorization),
            },
            "extensions": _identified(challenge.extensions, identifier),
        }
        return PaymentContext(
            base_url=base_url,
            body=dict(body),
            network=requirement.network,
            asset=requirement.asset,
            amount=str(requirement.amount),
            pay_to=requirement.pay_to,
            payer=self.address,
            nonce=authorization["nonce"],
            valid_before=int(authorization["validBefore"]),
            payment_id=identifier,
            payment_signature=encode(payment),
        )

    def _signed(self, requirement: Requirement, authorization: Mapping[str, str]) -> str:
        numbers = {
            name: int(authorization[name]) for name in ("value", "validAfter", "validBefore")
        }
        message = {**authorization, **numbers}
        signed = self._account.sign_typed_data(domain(requirement), _TYPES, message)
        return "0x" + bytes(signed.signature).hex()

    def __repr__(self) -> str:
        return f"PaymentHandler(address={self.address!r}, networks={sorted(self._rpc_urls)!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a PaymentHandler holds a key and is not pickled")


def _limit(amount: Decimal | str) -> Decimal:
    """Raises ValueError."""
    with contextlib.suppress(ArithmeticError):  # text, or NaN, which is in no order
        if (limit := Decimal(amount)) > 0:
            return limit
    raise ValueError("the maximum amount must be a positive number")


def domain(requirement: Requirement) -> dict[str, Any]:
    """The EIP-712 domain of the token."""
    return {
        "name": requirement.name,
        "version": requirement.version,
        "chainId": requirement.chain_id,
        "verifyingContract": requirement.asset,
    }


def domain_separator(requirement: Requirement) -> bytes:
    """The DOMAIN_SEPARATOR() of the token if the requirement is right about it."""
    nothing = {
        "from": "0x" + "0" * 40,
        "to": "0x" + "0" * 40,
        "value": 0,
        "validAfter": 0,
        "validBefore": 0,
        "nonce": "0x" + "0" * 64,
    }
    return bytes(encode_typed_data(domain(requirement), _TYPES, nothing).header)


def _account(private_key: str) -> LocalAccount:
    # The library takes 63 digits as well, and signs with another wallet than was meant.
    if not isinstance(private_key, str) or not _KEY.fullmatch(private_key):
        raise ValueError("the private key must have 64 hexadecimal digits")
    found: LocalAccount | None = None
    with contextlib.suppress(Exception):  # its text could repeat the key
        found = Account.from_key(private_key)
    if found is None:
        raise ValueError("this is no private key")
    return found


def _identified(extensions: Mapping[str, Any], identifier: str) -> dict[str, Any]:
    """The server's extensions as they came, with our identifier where one is taken."""
    offered = extensions.get(IDENTIFIER)
    if not isinstance(offered, dict) or not isinstance(offered.get("info"), dict):
        return dict(extensions)
    return {**extensions, IDENTIFIER: {**offered, "info": {**offered["info"], "id": identifier}}}
