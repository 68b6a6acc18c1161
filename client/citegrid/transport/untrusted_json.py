"""JSON that the other end wrote, refused for its nesting before a parser that recurses sees it.

A program may have raised the recursion limit so far that brackets exhaust the C stack.
"""

import json
from itertools import accumulate
from typing import Any, Final

MOST_NESTING: Final = 256

_OPENINGS, _CLOSINGS = b"[{", b"]}"
_STEPS: Final = bytes.maketrans(_OPENINGS + _CLOSINGS, b"\x01\x01\xff\xff")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(_OPENINGS + _CLOSINGS))


def loads(text: str | bytes) -> Any:
    """As `json.loads`, of UTF-8 only. Raises ValueError, also for what is nested too deeply."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    without_escapes = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    outside_strings = b"".join(without_escapes.split(b'"')[::2])
    steps = outside_strings.translate(_STEPS, _NO_BRACKETS)
    if max(accumulate(memoryview(steps).cast("b"), initial=0)) > MOST_NESTING:
        raise ValueError("nested too deeply")
    try:
        return json.loads(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except RecursionError:  # with hardly any stack left, whatever the text is
        raise ValueError("nested too deeply") from None
