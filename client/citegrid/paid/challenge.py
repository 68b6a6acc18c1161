"""The server's demand for payment, read from PAYMENT-REQUIRED without trusting it."""

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any, Final

from citegrid.paid.errors import NothingPaid
from citegrid.transport import untrusted_json

IDENTIFIER: Final = "payment-identifier"

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_AMOUNT: Final = re.compile(r"[1-9][0-9]{0,77}", re.ASCII)
_NETWORK: Final = re.compile(r"eip155:[1-9][0-9]{0,19}", re.ASCII)
_FLOWS: Final = frozenset({None, "authorization", "upfront"})


@dataclass(frozen=True, slots=True)
class Requirement:
    """One way to pay: an EIP-3009 transfer of an exact amount."""

    original: dict[str, Any]
    """As the server wrote it, to be echoed."""
    network: str
    asset: str
    amount: int
    pay_to: str
    seconds: int
    name: str
    version: str

    @property
    def chain_id(self) -> int:
        return int(self.network.removeprefix("eip155:"))


@dataclass(frozen=True, slots=True)
class Challenge:
    url: str
    resource: dict[str, Any]
    requirements: list[Requirement]
    """Those that this client understands."""
    extensions: dict[str, Any]


def read(header: str) -> Challenge:
    """PAYMENT-REQUIRED of x402 version 2. Raises NothingPaid."""
    payload = decode(header)
    if payload.get("x402Version") != 2:
        raise NothingPaid("The server asks for another version of x402 than 2.")
    resource, accepts = payload.get("resource"), payload.get("accepts")
    if not isinstance(resource, dict) or not isinstance(accepts, list):
        raise NothingPaid("The server does not say what it wants to be paid for.")
    extensions = payload.get("extensions")
    found = [_requirement(each) for each in accepts if isinstance(each, dict)]
    return Challenge(
        url=str(resource.get("url")),
        resource=resource,
        requirements=[each for each in found if each is not None],
        extensions=extensions if isinstance(extensions, dict) else {},
    )


def decode(header: str) -> dict[str, Any]:
    """The JSON object of a payment header. Raises NothingPaid."""
    try:
        payload = untrusted_json.loads(base64.b64decode(header, validate=True))
    except (binascii.Error, ValueError):
        payload = None
    if not isinstance(payload, dict):
        raise NothingPaid("A payment header of the server cannot be read.")
    return payload


def encode(payload: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(payload, separators=(",", ":")).encode()).decode()


def _requirement(payload: dict[str, Any]) -> Requirement | None:
    """None for what another client may understand: other schemes, chains, ways of transfer."""
    extra = payload.get("extra")
    seconds = payload.get("maxTimeoutSeconds")
    if payload.get("scheme") != "exact" or not isinstance(extra, dict):
        return None
    plain = extra.get("assetTransferMethod") in (None, "eip3009")
    if not plain or extra.get("paymentFlow") not in _FLOWS or type(seconds) is not int:
        return None
    forms = {"network": _NETWORK, "asset": _ADDRESS, "payTo": _ADDRESS, "amount": _AMOUNT}
    if not all(form.fullmatch(str(payload.get(name))) for name, form in forms.items()):
        return None
    return Requirement(
        original=payload,
        network=payload["network"],
        asset=payload["asset"],
        amount=int(payload["amount"]),
        pay_to=payload["payTo"],
        seconds=seconds,
        name=str(extra.get("name")),
        version=str(extra.get("version")),
    )
