"""Receivers accept what is signed with their secret now, and nothing else."""

import base64
import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from citegrid.errors import InvalidSignature
from citegrid.webhooks import verify

SECRET = "whsec_" + base64.b64encode(b"s" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"o" * 32).decode()
BODY = json.dumps({"type": "job.completed", "data": {"name": "Größe"}}).encode()


def signed(secret: str = SECRET, *, age: float = 0, body: bytes = BODY) -> dict[str, str]:
    """Headers as their library writes them."""
    at = time.time() - age
    signature = Webhook(secret).sign("msg_1", datetime.fromtimestamp(at, UTC), body.decode())
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(int(at)),
        "Webhook-Signature": signature,
    }


def test_a_signed_message_is_the_event() -> None:
    assert verify(BODY, signed(), SECRET)["data"] == {"name": "Größe"}


def test_any_of_several_secrets_will_do() -> None:
    assert verify(BODY, signed(), [OTHER, SECRET])["type"] == "job.completed"


def test_any_of_several_signatures_will_do() -> None:
    both = {**signed(), "Webhook-Signature": f"v1,eA== v1a,x {signed()['Webhook-Signature']}"}
    assert verify(BODY, both, SECRET)


REFUSED: dict[str, Any] = {
    "another secret": (BODY, signed(OTHER), SECRET),
    "another body": (BODY + b" ", signed(), SECRET),
    "another id": (BODY, {**signed(), "Webhook-Id": "msg_2"}, SECRET),
    "no id": (BODY, {**signed(), "Webhook-Id": ""}, SECRET),
    "no headers": (BODY, {}, SECRET),
    "too old": (BODY, signed(age=310), SECRET),
    "too new": (BODY, signed(age=-36_000), SECRET),
    "no time": (BODY, {**signed(), "Webhook-Timestamp": "now"}, SECRET),
    "digits of another script": (BODY, {**signed(), "Webhook-Timestamp": "١٢"}, SECRET),
    "an endless time": (BODY, {**signed(), "Webhook-Timestamp": "9" * 5000}, SECRET),
    "a signature beyond ASCII": (BODY, {**signed(), "Webhook-Signature": "v1,ö"}, SECRET),
    "no secrets": (BODY, signed(), []),
    "a secret that is none": (BODY, signed(), "whsec_ö"),
    "no JSON": (b"x", signed(body=b"x"), SECRET),
    "no object": (b"[]", signed(body=b"[]"), SECRET),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_an_invalid_signature(case: Any) -> None:
    with pytest.raises(InvalidSignature):
        verify(*case)
