"""A used authorization is a payment only if the token's next log is the transfer to us."""

from datetime import UTC, datetime
from typing import Any

import pytest

from app.domains.money.payments.interface import Transfer
from app.domains.money.payments.x402 import chain

ASSET, PAYER, PAYEE, OTHER = ("0x" + digit * 40 for digit in "abcd")
WANTED = Transfer(ASSET, PAYER, "0x" + "1" * 64, PAYEE, 10_000, 0, datetime.now(UTC))


def entry(index: int, *, to: str = PAYEE, **changes: Any) -> dict[str, Any]:
    """A Transfer log of the payer's token."""
    said = {
        "address": ASSET,
        "logIndex": index,
        "topics": [chain.TRANSFER, word(PAYER), word(to)],
        "data": (10_000).to_bytes(32, "big"),
    }
    return {**said, **changes}


def word(address: str) -> bytes:
    return bytes.fromhex(address[2:].rjust(64, "0"))


def test_the_next_log_is_the_transfer() -> None:
    assert chain._paid([entry(1)], 0, WANTED)


def test_logs_of_other_contracts_do_not_count() -> None:
    assert chain._paid([entry(1, address=OTHER, topics=[]), entry(2)], 0, WANTED)


@pytest.mark.parametrize(
    "logs",
    [
        [],
        [entry(0)],
        [entry(1, address=OTHER)],
        [entry(1, to=OTHER)],
        [entry(1, data=(9_999).to_bytes(32, "big"))],
        [entry(1, topics=[chain.USED, word(PAYER), word(PAYEE)])],
        [entry(1, topics=[chain.TRANSFER, word(OTHER), word(PAYEE)])],
        [entry(1, topics=[chain.TRANSFER])],
        [entry(1, to=OTHER), entry(2)],
    ],
)
def test_anything_else_is_no_proof(logs: list[Any]) -> None:
    assert not chain._paid(logs, 0, WANTED)
