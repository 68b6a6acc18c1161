"""Reading with the wallet that paid: SIGN-IN-WITH-X (CAIP-122; EIP-4361 for its text).

Nothing is remembered of a challenge: its nonce carries its time, and a code that only we can make
for this address. So the whole text is known here, and only the signer is asked of the signature.
"""

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from app.core.config.onchain import ADDRESS
from app.domains.money.payments import wire

EXTENSION: Final = "sign-in-with-x"
GOOD_SECONDS: Final = 300
STATEMENT: Final = "Read a search that this wallet paid for"

_NONCE: Final = re.compile(r"([0-9a-f]{8})([0-9a-f]{16})([0-9a-f]{32})", re.ASCII)
_SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        name: {"type": "string"}
        for name in (
            *("domain", "address", "statement", "uri", "version", "chainId", "type", "nonce"),
            *("issuedAt", "expirationTime", "signature"),
        )
    },
    "required": [
        *("domain", "address", "uri", "version", "chainId", "type", "nonce", "issuedAt"),
        "signature",
    ],
}


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The wallet that signed in, and the nonce that this used up."""

    address: str
    nonce: str
    expires_at: datetime


def extension(key: str, uri: str, networks: Iterable[str]) -> dict[str, Any]:
    """The challenge for reading `uri`, as an extension of PAYMENT-REQUIRED."""
    stamp = f"{int(time.time()):08x}{secrets.token_hex(8)}"
    chains = [{"chainId": network, "type": "eip191"} for network in networks]
    info = _info(uri, stamp + _code(key, stamp, uri))
    return {EXTENSION: {"info": info, "supportedChains": chains, "schema": _SCHEMA}}


def signed_in(
    header: str,
    keys: Sequence[str],
    uri: str,
    networks: Iterable[str],
    recover: Callable[[str, str], str | None],
) -> SignedIn | None:
    """The wallet that answered the challenge for `uri`; `recover` tells who signed a text."""
    answer = _answer(header)
    nonce, address = str(answer.get("nonce")), str(answer.get("address"))
    issued_at = _issued_at(keys, nonce, uri)
    known = answer.get("chainId") in list(networks) and ADDRESS.fullmatch(address)
    if issued_at is None or not known:
        return None
    info = _info(uri, nonce)
    if any(answer.get(name) != value for name, value in info.items()):
        return None
    text = _text(info, address, str(answer["chainId"]).removeprefix("eip155:"))
    if recover(text, str(answer.get("signature"))) != address.lower():
        return None
    return SignedIn(address.lower(), nonce, issued_at + timedelta(seconds=GOOD_SECONDS))


def _answer(header: str) -> dict[str, Any]:
    """Reads the header; nothing when malformed, which looks like any other failure."""
    try:
        return wire.decode(header)
    except wire.PaymentMalformed:
        return {}


def _issued_at(keys: Sequence[str], nonce: str, uri: str) -> datetime | None:
    """When we gave out this nonce for this address, if we did and it is still good."""
    parts = _NONCE.fullmatch(nonce)
    if parts is None:
        return None
    codes = [_code(key, parts[1] + parts[2], uri) for key in keys]
    if not any(hmac.compare_digest(code, parts[3]) for code in codes):
        return None
    issued_at = int(parts[1], 16)
    if time.time() > issued_at + GOOD_SECONDS:
        return None
    return datetime.fromtimestamp(issued_at, UTC)


def _code(key: str, stamp: str, uri: str) -> str:
    challenge = f"payments sign in {stamp} {uri}".encode()
    return hmac.new(key.encode(), challenge, hashlib.sha256).hexdigest()[:32]


def _info(uri: str, nonce: str) -> dict[str, Any]:
    issued_at = datetime.fromtimestamp(int(nonce[:8], 16), UTC)
    return {
        "domain": urlsplit(uri).netloc,
        "uri": uri,
        "statement": STATEMENT,
        "version": "1",
        "nonce": nonce,
        "issuedAt": _time(issued_at),
        "expirationTime": _time(issued_at + timedelta(seconds=GOOD_SECONDS)),
        "resources": [uri],
    }


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _text(info: dict[str, Any], address: str, chain_id: str) -> str:
    """EIP-4361, "Message Format"."""
    return (
        f"{info['domain']} wants you to sign in with your Ethereum account:\n{address}\n\n"
        f"{info['statement']}\n\nURI: {info['uri']}\nVersion: {info['version']}\n"
        f"Chain ID: {chain_id}\nNonce: {info['nonce']}\nIssued At: {info['issuedAt']}\n"
        f"Expiration Time: {info['expirationTime']}\nResources:\n- {info['uri']}"
    )
