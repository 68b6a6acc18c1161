"""Simhash: 64 bits that stay near each other when texts do (Charikar 2002; Manku et al. 2007)."""

import hashlib
from collections import Counter
from collections.abc import Sequence

from app.engine.text import analysis

BITS = 64
NEAR_DUPLICATE_BITS = 3
INDEPENDENT_BITS = 6
_SHINGLE = 3  # terms: word order counts, so that pages of one template do not all look alike

_MOST_TERMS, _MOST_CHARACTERS = 1_000, 12_000  # of a page, at a bounded price


def fingerprint(text: str, language: str | None) -> str:
    """The simhash of the first thousand terms of a page as 16 hexadecimal digits."""
    terms = analysis.terms(text[:_MOST_CHARACTERS], language)[:_MOST_TERMS]
    return f"{simhash(terms):016x}"


def simhash(terms: Sequence[str]) -> int:
    """The fingerprint of a text by its terms, 0 to 2**64 - 1; 0 for no terms."""
    shingles = Counter(
        " ".join(terms[i : i + _SHINGLE]) for i in range(max(1, len(terms) - _SHINGLE + 1))
    )
    sums = [0] * BITS
    for shingle, count in shingles.items() if terms else ():
        bits = int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest(), "big")
        for i in range(BITS):
            sums[i] += count if bits >> i & 1 else -count
    return sum(1 << i for i, total in enumerate(sums) if total > 0)


def distance(a: int, b: int) -> int:
    """In how many of 64 bits two fingerprints differ."""
    return (a ^ b).bit_count()
