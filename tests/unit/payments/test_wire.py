"""The payment header: one form is read, everything else is malformed."""

import base64
from typing import Any

import pytest

from app.domains.money.payments import wire

ADDRESS = "0x" + "Ab" * 20


def good() -> dict[str, Any]:
    """A payment with nothing wrong in its form."""
    return {
        "x402Version": 2,
        "accepted": {"scheme": "exact", "network": "eip155:1", "asset": ADDRESS},
        "payload": {
            "signature": "0x" + "12" * 65,
            "authorization": {
                "from": ADDRESS,
                "to": ADDRESS,
                "value": "10000",
                "validAfter": "0",
                "validBefore": "1800000000",
                "nonce": "0x" + "CD" * 32,
            },
        },
        "extensions": {"payment-identifier": {"info": {"required": False, "id": "i" * 16}}},
    }


def test_a_payment_is_read_with_its_key_in_lower_case() -> None:
    offer = wire.read(wire.encode(good()))
    assert (offer.network, offer.asset) == ("eip155:1", ADDRESS.lower())
    assert (offer.payer, offer.nonce) == (ADDRESS.lower(), "0x" + "cd" * 32)


def test_extensions_that_are_not_ours_are_left_alone() -> None:
    assert wire.read(wire.encode({**good(), "extensions": {"bazaar": 1}})).identifier_digest is None


def test_the_digest_is_of_the_bytes_that_were_sent() -> None:
    plain = wire.encode(good())
    spaced = base64.b64encode(base64.b64decode(plain).replace(b",", b", ")).decode()
    assert wire.read(plain).payload_digest != wire.read(spaced).payload_digest


def test_a_time_beyond_any_calendar_is_read() -> None:
    payment = good()
    payment["payload"]["authorization"]["validBefore"] = "9" * 20
    assert wire.read(wire.encode(payment)).valid_before.year == 9999


IDENTIFIER = ("extensions", "payment-identifier", "info")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (1, ["x402Version"]),
        (True, ["x402Version"]),
        ("2", ["x402Version"]),
        ([], ["payload"]),
        ("exact", ["accepted"]),
        ({}, ["accepted"]),
        ({}, ["payload", "permit2Authorization"]),
        ("0x00", ["payload", "signature"]),
        (None, ["payload", "signature"]),
        (10_000, ["payload", "authorization", "value"]),
        ("1e4", ["payload", "authorization", "value"]),
        ("-1", ["payload", "authorization", "validBefore"]),
        ("0x12", ["payload", "authorization", "nonce"]),
        ("me", ["payload", "authorization", "from"]),
        ("more", ["payload", "authorization", "memo"]),
        ([], ["extensions"]),
        ("short", [*IDENTIFIER, "id"]),
        ("x" * 129, [*IDENTIFIER, "id"]),
        ("sixteen spaces !", [*IDENTIFIER, "id"]),
        (True, [*IDENTIFIER, "required"]),
    ],
)
def test_a_part_of_another_form_is_malformed(value: Any, path: list[str]) -> None:
    payment = good()
    inner = payment
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    with pytest.raises(wire.PaymentMalformed):
        wire.read(wire.encode(payment))


@pytest.mark.parametrize("missing", ["x402Version", "payload", "accepted"])
def test_a_missing_part_is_malformed(missing: str) -> None:
    payment = good()
    del payment[missing]
    with pytest.raises(wire.PaymentMalformed):
        wire.read(wire.encode(payment))


@pytest.mark.parametrize(
    "header",
    [
        "",
        "!!",
        "e30",
        base64.b64encode(b"not json").decode(),
        base64.b64encode(b"[]").decode(),
        base64.b64encode(b"\xff\xfe").decode(),
        base64.b64encode(b'{"x402Version": 2, "x402Version": 2}').decode(),
        base64.b64encode(b"[" * 5000).decode(),
        base64.urlsafe_b64encode(b'{"x":"\xc3\xbf\xc3\xbf\xc3\xbf?>"}').decode(),
        "A" * 8196,
    ],
)
def test_what_is_no_payment_at_all_is_malformed(header: str) -> None:
    with pytest.raises(wire.PaymentMalformed):
        wire.read(header)
