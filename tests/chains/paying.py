"""A payer of x402 version 2, written down by hand: so tests can also pay wrongly."""

import base64
import json
import secrets
import time
from typing import Any

from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

TRANSFER = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}
CANCEL = {
    "CancelAuthorization": [
        {"name": "authorizer", "type": "address"},
        {"name": "nonce", "type": "bytes32"},
    ]
}


def decoded(header: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.b64decode(header, validate=True))
    return found


def encoded(said: Any) -> str:
    return base64.b64encode(json.dumps(said).encode()).decode()


def authorization(
    requirement: dict[str, Any], payer: LocalAccount, **changes: Any
) -> dict[str, str]:
    """What the payer signs for a requirement; `changes` replace parts of it."""
    said = {
        "from": payer.address,
        "to": requirement["payTo"],
        "value": requirement["amount"],
        "validAfter": "0",
        "validBefore": str(int(time.time()) + requirement["maxTimeoutSeconds"]),
        "nonce": "0x" + secrets.token_hex(32),
    }
    return {**said, **changes}


def domain(requirement: dict[str, Any], **changes: Any) -> dict[str, Any]:
    said = {
        "name": requirement["extra"]["name"],
        "version": requirement["extra"]["version"],
        "chainId": int(requirement["network"].removeprefix("eip155:")),
        "verifyingContract": requirement["asset"],
    }
    return {**said, **changes}


def signed(
    payer: LocalAccount, domain: dict[str, Any], types: dict[str, Any], said: dict[str, Any]
) -> str:
    numbers = {"value", "validAfter", "validBefore"}
    message = {name: int(value) if name in numbers else value for name, value in said.items()}
    return "0x" + bytes(payer.sign_typed_data(domain, types, message).signature).hex()


def payment(
    challenge: str,
    payer: LocalAccount,
    *,
    network: str | None = None,
    identifier: str | None = "",
    signing_domain: dict[str, Any] | None = None,
    accepted: dict[str, Any] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """A payment for what PAYMENT-REQUIRED asks; "" for `identifier` makes one up, None has none."""
    asked = decoded(challenge)
    requirement = next(
        each for each in asked["accepts"] if network is None or each["network"] == network
    )
    said = authorization(requirement, payer, **changes)
    found = {
        "x402Version": 2,
        "resource": asked["resource"],
        "accepted": {**requirement, **(accepted or {})},
        "payload": {
            "authorization": said,
            "signature": signed(
                payer, domain(requirement, **(signing_domain or {})), TRANSFER, said
            ),
        },
    }
    if identifier is not None:
        extension = asked["extensions"]["payment-identifier"]
        id = identifier or "pay_" + secrets.token_hex(16)
        found["extensions"] = {
            "payment-identifier": {**extension, "info": {**extension["info"], "id": id}}
        }
    return found


def sign_in(challenge: str, wallet: LocalAccount, **changes: Any) -> str:
    """SIGN-IN-WITH-X for what PAYMENT-REQUIRED asks (EIP-4361)."""
    extension = decoded(challenge)["extensions"]["sign-in-with-x"]
    chain = extension["supportedChains"][0]
    said = {**extension["info"], **chain, "address": wallet.address, **changes}
    text = (
        f"{said['domain']} wants you to sign in with your Ethereum account:\n{said['address']}\n\n"
        f"{said['statement']}\n\nURI: {said['uri']}\nVersion: {said['version']}\n"
        f"Chain ID: {said['chainId'].removeprefix('eip155:')}\nNonce: {said['nonce']}\n"
        f"Issued At: {said['issuedAt']}\nExpiration Time: {said['expirationTime']}\n"
        "Resources:" + "".join(f"\n- {each}" for each in said["resources"])
    )
    signature = wallet.sign_message(encode_defunct(text=text)).signature
    return encoded({**said, "signature": "0x" + bytes(signature).hex()})
