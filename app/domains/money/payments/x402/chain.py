"""Reads an authorization on the chain: whether it has paid, and whether it still can.

A used nonce proves nothing: it is also used after `cancelAuthorization`, and after a second
authorization with the same nonce that pays somebody else. The proof is a pair of logs.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from web3 import Web3

from app.domains.money.payments.interface import Proof, Transfer

TRANSFER: Final = bytes(Web3.keccak(text="Transfer(address,address,uint256)"))
USED: Final = bytes(Web3.keccak(text="AuthorizationUsed(address,bytes32)"))
BLOCKS_AT_ONCE: Final = 500  # what free plans of RPC services allow
MARGIN_SECONDS: Final = 60


def proof(w3: Web3, wanted: Transfer) -> Proof | None:
    """EIP-3009: `AuthorizationUsed(payer, nonce)`, and the token's next log is the transfer."""
    for used in _uses(w3, wanted):
        receipt = w3.eth.get_transaction_receipt(used["transactionHash"])
        if receipt["status"] == 1 and _paid(receipt["logs"], used["logIndex"], wanted):
            return Proof("0x" + bytes(used["transactionHash"]).hex(), int(used["logIndex"]))
    return None


def expired(w3: Web3, valid_before: datetime) -> bool:
    """By the latest block's time, and a minute more: what was mined by then is seen by then."""
    latest = w3.eth.get_block("latest")
    return bool(latest["timestamp"] > valid_before.timestamp() + MARGIN_SECONDS)


def _uses(w3: Web3, wanted: Transfer) -> Iterator[Any]:
    """Log entries of the authorization's use, from the block before which it was not known."""
    latest, first = w3.eth.block_number, wanted.from_block
    while first <= latest:
        last = min(first + BLOCKS_AT_ONCE - 1, latest)
        yield from w3.eth.get_logs(
            {
                "address": Web3.to_checksum_address(wanted.asset),
                "fromBlock": first,
                "toBlock": last,
                "topics": [
                    "0x" + USED.hex(),
                    "0x" + wanted.payer.removeprefix("0x").rjust(64, "0"),
                    wanted.nonce,
                ],
            }
        )
        # Nothing can be behind the block with which the authorization expired.
        if w3.eth.get_block(last)["timestamp"] >= wanted.valid_before.timestamp():
            return
        first = last + 1


def _paid(logs: Sequence[Any], used_at: int, wanted: Transfer) -> bool:
    """True if the token's next log after its `AuthorizationUsed` is the transfer that we want."""
    asset = wanted.asset.lower()
    ours = [log for log in logs if log["address"].lower() == asset and log["logIndex"] > used_at]
    if not ours:
        return False
    following = min(ours, key=lambda log: int(log["logIndex"]))
    topics = [bytes(topic) for topic in following["topics"]]
    return (
        len(topics) == 3
        and topics[0] == TRANSFER
        and topics[1][-20:].hex() == wanted.payer.removeprefix("0x").lower()
        and topics[2][-20:].hex() == wanted.pay_to.removeprefix("0x").lower()
        and int.from_bytes(bytes(following["data"]), "big") == wanted.amount
    )
