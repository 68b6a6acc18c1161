"""Public identifiers: a prefix and an opaque suffix that sorts by time.

The suffix is a UUIDv7 (RFC 9562) in lower-case base32 without padding (RFC 4648), 26 characters.
"""

import re
from datetime import datetime
from itertools import product
from uuid import UUID

from uuid_utils.compat import uuid7

SUFFIX = re.compile(r"[a-z2-7]{26}", re.ASCII)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
# Lists have hundreds of ids: two digits at a time, and `int(..., 32)` with its own digits, take
# less than half of the time of base64's functions, which are Python as well.
_PAIRS = ["".join(pair) for pair in product(_ALPHABET, repeat=2)]
_SHIFTS = range(120, -1, -10)
_DIGITS = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
_SPARE_BITS = 26 * 5 - 128


def new() -> UUID:
    """A fresh UUIDv7."""
    return uuid7()


def first_of(at: datetime) -> UUID:
    """What no identifier that was made from `at` on is less than."""
    return UUID(int=int(at.timestamp() * 1000) << 80)


def public(prefix: str, id: UUID) -> str:
    """`public("srch", id)` -> `srch_...`."""
    number = id.int << _SPARE_BITS
    return f"{prefix}_{''.join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])}"


def internal(prefix: str, text: str) -> UUID | None:
    """The UUID behind a public identifier, or None for anything we never issued."""
    head, _, suffix = text.partition("_")
    if head != prefix or not SUFFIX.fullmatch(suffix):
        return None
    number = int(suffix.translate(_DIGITS), 32)
    if number % (1 << _SPARE_BITS):
        return None  # only the spelling with zeros in them names the thing
    return UUID(int=number >> _SPARE_BITS)
