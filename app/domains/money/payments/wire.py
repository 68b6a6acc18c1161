"""The headers of x402 version 2: strict reading of payments, and writing of answers.

Standard base64 with padding around UTF-8 JSON (x402 specification v2, "HTTP transport"). Smart
wallets and Permit2 are not taken: an offer is an EIP-3009 authorization signed by an ordinary key.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from app.core.config.onchain import ADDRESS, BYTES32
from app.core.errors import AppError, MalformedJson
from app.core.http.request_parser import loads

VERSION: Final = 2
IDENTIFIER: Final = "payment-identifier"
MOST_CHARACTERS: Final = 6000  # four times what a payment has; web servers read some 8,000
LATEST: Final = 253_402_300_799  # the end of the year 9999, the last that a datetime holds

_FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "from": ADDRESS,
    "to": ADDRESS,
    "value": re.compile(r"0|[1-9][0-9]{0,77}", re.ASCII),
    "validAfter": re.compile(r"0|[1-9][0-9]{0,19}", re.ASCII),
    "validBefore": re.compile(r"0|[1-9][0-9]{0,19}", re.ASCII),
    "nonce": BYTES32,
}
_SIGNATURE: Final = re.compile(r"0x[0-9a-fA-F]{130}", re.ASCII)
_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9_-]{16,128}", re.ASCII)


class PaymentMalformed(AppError):
    """The payment header must be an x402 version 2 payment with an EIP-3009 authorization."""

    code, status = "payment_malformed", 400


@dataclass(frozen=True, slots=True, repr=False)
class Offer:
    """A payment as it was sent. Addresses and the nonce are in lower case."""

    accepted: dict[str, Any]
    """The requirement it claims to meet, not yet compared with ours."""
    payload: dict[str, Any]
    """What settles it: version, authorization and signature, and the requirement."""
    network: str
    asset: str
    payer: str
    nonce: str
    valid_before: datetime
    payload_digest: bytes
    """Of the bytes that were sent: no part of a header is ever rewritten."""
    identifier_digest: bytes | None


def read(header: str) -> Offer:
    """A PAYMENT-SIGNATURE header. Raises PaymentMalformed."""
    raw = _decoded(header)
    sent = _object(raw)
    accepted, payload = sent.get("accepted"), sent.get("payload")
    if type(sent.get("x402Version")) is not int or sent["x402Version"] != VERSION:
        raise PaymentMalformed(why="version")
    if not isinstance(accepted, dict) or not isinstance(payload, dict):
        raise PaymentMalformed(why="parts")
    network, asset = accepted.get("network"), accepted.get("asset")
    if not isinstance(network, str) or not isinstance(asset, str):
        raise PaymentMalformed(why="accepted")
    authorization = _authorization(payload)
    return Offer(
        accepted=accepted,
        payload={"x402Version": VERSION, "payload": payload, "accepted": accepted},
        network=network,
        asset=asset.lower(),
        payer=authorization["from"].lower(),
        nonce=authorization["nonce"].lower(),
        valid_before=datetime.fromtimestamp(min(int(authorization["validBefore"]), LATEST), UTC),
        payload_digest=hashlib.sha256(raw).digest(),
        identifier_digest=_identifier_digest(sent.get("extensions")),
    )


def decode(header: str) -> dict[str, Any]:
    """The JSON object of any header of ours or theirs. Raises PaymentMalformed."""
    return _object(_decoded(header))


def encode(value: Mapping[str, Any]) -> str:
    return base64.b64encode(json.dumps(value, separators=(",", ":")).encode()).decode()


def challenge(
    accepts: list[dict[str, Any]],
    url: str,
    description: str,
    error: str,
    extensions: Mapping[str, Any] | None = None,
) -> str:
    return encode(
        {
            "x402Version": VERSION,
            "error": error,
            "resource": {"url": url, "description": description, "mimeType": "application/json"},
            "accepts": accepts,
            "extensions": extensions or {IDENTIFIER: IDENTIFIER_OFFERED},
        }
    )


IDENTIFIER_OFFERED: Final[Mapping[str, Any]] = {
    "info": {"required": False},
    "schema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "required": {"type": "boolean"},
            "id": {
                "type": "string",
                "minLength": 16,
                "maxLength": 128,
                "pattern": "^[a-zA-Z0-9_-]+$",
            },
        },
        "required": ["required"],
    },
}


def receipt(
    *, network: str, payer: str, amount: str, transaction: str | None, reason: str | None
) -> str:
    """PAYMENT-RESPONSE; a success is what has no `reason`."""
    response: dict[str, Any] = {
        "success": reason is None,
        "payer": payer,
        "transaction": transaction or "",
        "network": network,
    }
    if reason is None:
        response["amount"] = amount
    else:
        response["errorReason"] = reason
    return encode(response)


def _decoded(header: str) -> bytes:
    if len(header) > MOST_CHARACTERS:
        raise PaymentMalformed(why="size")
    try:
        return base64.b64decode(header, validate=True)
    except (binascii.Error, ValueError):
        raise PaymentMalformed(why="base64") from None


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = loads(raw)
    except MalformedJson:
        raise PaymentMalformed(why="json") from None
    if not isinstance(value, dict):
        raise PaymentMalformed(why="no object")
    return value


def _authorization(payload: dict[str, Any]) -> dict[str, str]:
    if payload.keys() != {"authorization", "signature"}:
        raise PaymentMalformed(why="payload")
    authorization, signature = payload["authorization"], payload["signature"]
    if not isinstance(signature, str) or not _SIGNATURE.fullmatch(signature):
        raise PaymentMalformed(why="signature")
    if not isinstance(authorization, dict) or authorization.keys() != _FORMS.keys():
        raise PaymentMalformed(why="authorization")
    for name, form in _FORMS.items():
        if not isinstance(authorization[name], str) or not form.fullmatch(authorization[name]):
            raise PaymentMalformed(why=name)
    return authorization


def _identifier_digest(extensions: Any) -> bytes | None:
    """The payer may add an `id` to what we said of the extension, and change nothing of it."""
    if extensions is None:
        return None
    if not isinstance(extensions, dict):
        raise PaymentMalformed(why="extensions")
    if IDENTIFIER not in extensions:
        return None
    extension = extensions[IDENTIFIER]
    info = extension.get("info") if isinstance(extension, dict) else None
    if not isinstance(info, dict) or info.get("required") is not False:
        raise PaymentMalformed(why="identifier's echo")
    id = info.get("id")
    if id is None:
        return None
    if not isinstance(id, str) or not _IDENTIFIER.fullmatch(id):
        raise PaymentMalformed(why="identifier")
    return hashlib.sha256(id.encode()).digest()
