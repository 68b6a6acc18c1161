"""Words for the lines of an account's transfers, the same on pages, in commands and in files."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

_WORDS: Final[Mapping[tuple[str, str, bool], str]] = {
    ("credit", "grant", True): "granted by the operator",
    ("credit", "payment", True): "bought",
    ("credit", "fund", False): "moved to a campaign",
    ("credit", "refund", True): "returned from a campaign",
    ("credit", "chat", False): "reserved for a chat",
    ("credit", "chat", True): "returned from a chat, unused",
    ("held", "chat", True): "reserved for a chat",
    ("held", "chat", False): "chat ended",
    ("available", "chat", True): "earned by a chat",
    ("credit", "given up", False): "left to the operator",
}
"""By the account's kind, the reason of the transfer, and whether money came in."""


def words(kind: str, why: str, amount: Decimal) -> str:
    """A line of a transfer in words; the reason itself where that says it all."""
    return _WORDS.get((kind, why, amount > 0), why)
