"""Questions to the chain before a payment is signed: is it that chain, that token, enough money."""

import itertools
import json
from decimal import Decimal
from typing import Any, Final

from citegrid.errors import CitegridError
from citegrid.paid.challenge import Requirement
from citegrid.paid.errors import NothingPaid
from citegrid.paid.handler import PaymentHandler, domain_separator
from citegrid.transport import untrusted_json
from citegrid.transport.exchange import Policy, Reply, Request, Send, Steps

# The first four bytes of the hash of each function's signature (Solidity ABI specification).
DOMAIN_SEPARATOR: Final = "0x3644e515"
BALANCE_OF: Final = "0x70a08231"
DECIMALS: Final = "0x313ce567"
RPC_SECONDS: Final = 15.0


def checked(handler: PaymentHandler, wanted: Requirement, policy: Policy) -> Steps[None]:
    """Raises NothingPaid unless the payment would be what it says it is."""
    ask = _Rpc(handler.rpc_url(wanted.network), wanted, policy)
    if (yield from ask.number("eth_chainId", [])) != wanted.chain_id:
        raise NothingPaid(f"The RPC for {wanted.network} is one of another chain.")
    separator = yield from ask.call(DOMAIN_SEPARATOR)
    if separator != "0x" + domain_separator(wanted).hex():
        raise NothingPaid("The token's name or version is not what the server says.")
    decimals = int((yield from ask.call(DECIMALS)), 16)
    amount = Decimal(wanted.amount).scaleb(-min(decimals, 77))
    if amount > handler.max_amount:
        raise NothingPaid(f"The price of {amount} is over the limit of {handler.max_amount}.")
    owner = handler.address.removeprefix("0x").lower().rjust(64, "0")
    balance = int((yield from ask.call(BALANCE_OF + owner)), 16)
    if balance < wanted.amount:
        raise NothingPaid(f"The wallet {handler.address} has too little of the token.")


class _Rpc:
    """JSON-RPC to one chain. What goes wrong is said without the URL, which may hold a key."""

    def __init__(self, url: str, wanted: Requirement, policy: Policy) -> None:
        self._url, self._wanted, self._policy = url, wanted, policy
        self._ids = itertools.count(1)

    def call(self, data: str) -> Steps[str]:
        """Returns what the token answers, in hexadecimal digits."""
        result = yield from self._ask(
            "eth_call", [{"to": self._wanted.asset, "data": data}, "latest"]
        )
        if len(result) < 3:  # no such contract, or it lacks the function
            raise NothingPaid(f"There is no such token on {self._wanted.network}.")
        return result

    def number(self, method: str, parameters: list[Any]) -> Steps[int]:
        return int((yield from self._ask(method, parameters)), 16)

    def _ask(self, method: str, parameters: list[Any]) -> Steps[str]:
        question = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": parameters}
        request = Request(
            method="POST",
            url=self._url,
            headers={"Content-Type": "application/json", "Accept": "application/json"},
            content=json.dumps(question).encode(),
            repeatable=True,
        )
        reply: Reply | None
        try:
            reply = yield Send(request, self._policy, self._policy.clock() + RPC_SECONDS)
        except CitegridError:
            reply = None
        result = _result(reply) if reply is not None and reply.good else None
        if result is None:
            raise NothingPaid(f"The RPC for {self._wanted.network} does not answer.")
        return result


def _result(reply: Reply) -> str | None:
    try:
        result = untrusted_json.loads(reply.content)["result"]
        int(result, 16)
    except (ValueError, KeyError, TypeError):
        return None
    return str(result).lower()
