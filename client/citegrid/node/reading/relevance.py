"""The measure of how much of an objective a text speaks of."""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_STEM: Final = 5
# Words of requests, which say nothing of their subject.
_EMPTY_LINES: Final = (
    "find collect list every each with from about that this what which their them they have",
    "been records record data information pages page facts please current latest recent gather",
    "into there where when such also other more most does make made over than then these those",
)
_EMPTY: Final = frozenset(word for line in _EMPTY_LINES for word in line.split())


def share(objective: str, text: str) -> float:
    """The share of the objective's words that begin words of the text; 1 if it has none."""
    wanted = _stems(objective)
    if not wanted:
        return 1.0
    return len(wanted & _stems(text)) / len(wanted)


def _stems(text: str) -> set[str]:
    words = (match[0].lower() for match in _WORD.finditer(text))
    return {word[:_STEM] for word in words if word not in _EMPTY}
