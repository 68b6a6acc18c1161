"""The check that what was sent as a record schema is small enough to be walked."""

import math
from collections.abc import Iterator
from typing import Any, Final

Problem = tuple[str, str]
"""A JSON pointer into the schema, and a sentence."""

MAX_BYTES: Final = 65_536
_MAX_NESTING: Final = 64  # of the JSON text, so that nothing runs out of stack
_MAX_BITS: Final = 1024


def measure(schema: object) -> Problem | None:
    """Checks that a value is JSON of a size that may be walked, in linear time."""
    left = MAX_BYTES
    level: list[Any] = [schema]
    for _ in range(_MAX_NESTING):
        for value in level:
            left -= _own_bytes(value)
            if left < 0:
                return "", f"The schema is larger than {MAX_BYTES // 1024} KiB, or not JSON."
        level = [part for value in level for part in _inside(value)]
        if not level:
            return None
    return "", f"The schema is nested more than {_MAX_NESTING} deep."


def _own_bytes(value: Any) -> int:
    """About what a value takes as JSON without what is inside it; too many when it is no JSON."""
    if value is None or isinstance(value, bool):
        return 4
    if isinstance(value, str):
        return _text_bytes(value)
    if isinstance(value, int):
        return 1 + value.bit_length() // 3 if value.bit_length() <= _MAX_BITS else MAX_BYTES + 1
    if isinstance(value, float):
        return 8 if math.isfinite(value) else MAX_BYTES + 1
    if isinstance(value, list):
        return 2 + len(value)
    if isinstance(value, dict):
        return 2 + sum(2 + _text_bytes(x) if isinstance(x, str) else MAX_BYTES for x in value)
    return MAX_BYTES + 1


def _text_bytes(text: str) -> int:
    """NUL and half a surrogate pair cannot be kept in a table."""
    if len(text) > MAX_BYTES or "\0" in text:
        return MAX_BYTES + 1
    try:
        return 2 + len(text.encode())
    except UnicodeEncodeError:
        return MAX_BYTES + 1


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value
