"""Rules for an API key: scopes, and how long it lives."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

SCOPES: Final = ("search", "jobs", "memory", "campaigns", "nodes", "chat", "corpora")
OF_CORPORA: Final = frozenset({"search", "corpora"})
"""The scopes of a key that is limited to corpora: all else an account has is of no corpus."""
LONGEST_LIFE: Final = timedelta(days=3653)  # ten years
MOST_OVERLAP_HOURS: Final = 168
NAME_CHARACTERS: Final = 80


def in_order(scopes: Iterable[str]) -> list[str]:
    """Each scope once, in the order of SCOPES. ValueError for none or an unknown one."""
    requested = set(scopes)
    if not requested or not requested <= set(SCOPES):
        raise ValueError(f"Must include at least one of {', '.join(SCOPES)}.")
    return [scope for scope in SCOPES if scope in requested]


def within_corpora(scopes: Iterable[str]) -> None:
    """ValueError unless a key with these scopes can be limited to corpora."""
    if not set(scopes) <= OF_CORPORA:
        raise ValueError("A key that is limited to corpora can have only search and corpora.")


def expiry(at: datetime) -> datetime:
    """The aware time itself. ValueError unless it lies in the next ten years."""
    now = datetime.now(UTC)
    if not now < at <= now + LONGEST_LIFE:
        raise ValueError("Must be in the future, at most ten years ahead.")
    return at
