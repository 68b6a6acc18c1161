"""The settings of paid search, read from text: price, networks, who settles."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from urllib.parse import urlsplit

from app.core.config.addresses import is_base_url

NETWORK: Final = re.compile(r"eip155:[1-9][0-9]{0,19}", re.ASCII)
ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
BYTES32: Final = re.compile(r"0x[0-9a-fA-F]{64}", re.ASCII)  # a nonce, the hash of a transaction
# The usual libraries take 63 digits, too, and sign with another wallet.
PRIVATE_KEY: Final = re.compile(r"(0x)?[0-9a-fA-F]{64}", re.ASCII)
_NEEDED: Final = {"rpc_url", "asset", "pay_to"}


@dataclass(frozen=True, slots=True, repr=False)
class Network:
    """One chain (CAIP-2 id) on which payments are taken. Not shown: the URL carries a key."""

    id: str
    rpc_url: str
    asset: str
    pay_to: str

    @property
    def chain_id(self) -> int:
        return int(self.id.removeprefix("eip155:"))


def networks(text: str) -> list[Network]:
    """ONCHAIN_NETWORKS, which `problems` has found good."""
    return [Network(id=id, **fields) for id, fields in json.loads(text).items()]


def problems(price: str, networks: str, gas_key: str, facilitator_url: str) -> list[str]:
    """Lists what is wrong, without repeating a value; nothing without a price and networks."""
    if not price and not networks:
        return []
    problems = [*_of_networks(networks)]
    if price and not _positive(price):
        problems.append("ONCHAIN_PRICE: must be a positive decimal number such as 0.01")
    if bool(gas_key) == bool(facilitator_url):
        problems.append("ONCHAIN_GAS_KEY: set it or ONCHAIN_FACILITATOR_URL, and not both")
    if gas_key and not PRIVATE_KEY.fullmatch(gas_key):
        problems.append("ONCHAIN_GAS_KEY: must have 64 hexadecimal digits")
    if facilitator_url and not is_base_url(facilitator_url):
        problems.append("ONCHAIN_FACILITATOR_URL: must be the base URL of a service")
    return problems


def _positive(price: str) -> bool:
    try:
        number = Decimal(price)
    except InvalidOperation:
        return False
    return number.is_finite() and number > 0


def _of_networks(text: str) -> Iterator[str]:
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, dict) or not entries:
        yield "ONCHAIN_NETWORKS: must be a JSON object with a network, such as eip155:8453"
        return
    for id, network in entries.items():
        if not NETWORK.fullmatch(id):
            yield "ONCHAIN_NETWORKS: networks are named like eip155:8453"
        elif not isinstance(network, dict) or network.keys() != _NEEDED:
            yield f"ONCHAIN_NETWORKS: {id} takes rpc_url, asset and pay_to"
        else:
            yield from _of_network(id, network)


def _of_network(id: str, network: dict[str, Any]) -> Iterator[str]:
    if not _url(network["rpc_url"]):
        yield f"ONCHAIN_NETWORKS: rpc_url of {id} must be an http or https URL"
    for name in ("asset", "pay_to"):
        if not isinstance(network[name], str) or not ADDRESS.fullmatch(network[name]):
            yield f"ONCHAIN_NETWORKS: {name} of {id} must be an address, 0x and 40 digits"


def _url(text: Any) -> bool:
    """May have a password or a query, which are keys of RPC services."""
    try:
        parts = urlsplit(text) if isinstance(text, str) else None
        return parts is not None and parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False
