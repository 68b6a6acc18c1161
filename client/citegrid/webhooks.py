"""For receivers of webhooks: who sent this, and what does it say. Needs nothing but Python.

Signatures are those of Standard Webhooks 1.0.0.
"""

import base64
import binascii
import hmac
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from citegrid.errors import InvalidSignature
from citegrid.transport import untrusted_json

TOLERANCE_SECONDS: Final = 300
_PREFIX: Final = "whsec_"


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
) -> dict[str, Any]:
    """The event that `body` holds: `{type, timestamp, data}`.

    `body` is what came, byte for byte; `secrets` is one or several, while they are rolled. One
    event may come more than once: its header `webhook-id` is always the same. Raises
    InvalidSignature, whatever is wrong.
    """
    given = {str(name).lower(): value for name, value in headers.items()}
    id, at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not id or not _is_of_now(at, tolerance_seconds):
        raise InvalidSignature("The message has no id, or is not of now.")
    keys = [secrets] if isinstance(secrets, str) else secrets
    known = list(_signatures(f"{id}.{at}.".encode() + body, keys))
    if not any(
        hmac.compare_digest(one.encode(), sent.encode())
        for sent in given.get("webhook-signature", "").split()
        for one in known
    ):
        raise InvalidSignature("The message is not signed with a secret given.")
    return _event(body)


def _is_of_now(at: str, tolerance_seconds: float) -> bool:
    digits = at.isascii() and at.isdigit() and len(at) < 20
    return digits and abs(time.time() - int(at)) <= tolerance_seconds


def _signatures(content: bytes, secrets: Sequence[str]) -> Iterator[str]:
    for secret in secrets:
        try:
            key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        except (binascii.Error, ValueError):
            raise InvalidSignature("A secret is not one of a webhook.") from None
        yield "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()


def _event(body: bytes) -> dict[str, Any]:
    try:
        event = untrusted_json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise InvalidSignature("The message is no JSON object.")
    return event
