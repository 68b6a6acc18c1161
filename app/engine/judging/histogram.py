"""Counts in buckets that lie a factor of √2 apart: a quantile of them is wrong by at most 19 %."""

import math
from collections.abc import Sequence
from typing import Final

BUCKETS: Final = 20
FIRST_TOKEN_MS: Final = 25.0
"""Upper bound of the first bucket of times to the first token; the last begins at 12.8 s."""
TOKENS_PER_SECOND: Final = 1.0
"""Upper bound of the first bucket of speeds; the last begins at 512 tokens a second."""


def bucket(value: float, least: float) -> int:
    """Returns the bucket that counts `value`; `least` is the upper bound of the first bucket."""
    if value <= least:
        return 0
    return min(BUCKETS - 1, math.ceil(2 * math.log2(value / least)))


def quantile(counts: Sequence[int], share: float, least: float) -> float | None:
    """The value below which `share` of the counted ones lie; None without any."""
    wanted, seen = share * sum(counts), 0
    for at, count in enumerate(counts):
        seen += count
        if count and seen >= wanted:
            return least * 2 ** (at / 2 - 0.25)
    return None
