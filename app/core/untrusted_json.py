"""JSON that strangers wrote, refused for its nesting before a parser that recurses sees it.

The recursion limit is no protection: libraries raise it so far that brackets exhaust the C stack.
"""

import json
from dataclasses import asdict
from itertools import accumulate
from typing import Any, Final

import orjson

MOST_NESTING: Final = 64

_OPENINGS, _CLOSINGS = b"[{", b"]}"
_STEPS: Final = bytes.maketrans(_OPENINGS + _CLOSINGS, b"\x01\x01\xff\xff")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(_OPENINGS + _CLOSINGS))


def loads(text: str | bytes, most: int = MOST_NESTING, **options: Any) -> Any:
    """As `json.loads`, of UTF-8 only. Raises ValueError, also when nested more than `most` deep."""
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    if nesting(text) > most:
        raise ValueError("nested too deeply")
    try:
        return json.loads(text, **options)
    except RecursionError:  # with hardly any stack left, whatever the text is
        raise ValueError("nested too deeply") from None


def dumps(value: object, *, sort_keys: bool = False) -> bytes:
    """As `orjson.dumps`, also of the integers beyond 64 bits that strangers can send."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if sort_keys else 0)
    except TypeError:
        compact = (",", ":")
        text = json.dumps(
            value, default=asdict, ensure_ascii=False, separators=compact, sort_keys=sort_keys
        )
        return text.encode()


def nesting(text: str) -> int:
    """The depth that a parser of this text gets to at most; in linear time, without recursion."""
    raw = text.encode("utf-8", "surrogatepass")
    without_escapes = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    outside_strings = b"".join(without_escapes.split(b'"')[::2])
    steps = outside_strings.translate(_STEPS, _NO_BRACKETS)
    return max(accumulate(memoryview(steps).cast("b"), initial=0))
