"""Signatures of Standard Webhooks 1.0.0: HMAC-SHA256 over id, time and body."""

import base64
import hmac
import os
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32


def new_secret() -> str:
    return PREFIX + base64.b64encode(os.urandom(_SECRET_BYTES)).decode()


def headers(secrets: Iterable[str], id: str, at: int, body: bytes) -> dict[str, str]:
    """The headers of a message: its id, the time of the attempt, a signature for each secret."""
    return {
        "webhook-id": id,
        "webhook-timestamp": str(at),
        "webhook-signature": sign(secrets, id, at, body),
    }


def sign(secrets: Iterable[str], id: str, at: int, body: bytes) -> str:
    """One signature a secret, in their order; `at` in seconds since 1970."""
    content = f"{id}.{at}.".encode() + body
    return " ".join("v1," + _signature(secret, content) for secret in secrets)


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, content, "sha256")).decode()
