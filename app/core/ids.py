"""Public identifiers: a prefix and an opaque suffix that sorts by time.

The suffix is a UUIDv7 (RFC 9562) in lower-case base32 without padding (RFC 4648), 26 characters.
"""

import base64
import binascii
import re
from uuid import UUID

from uuid_utils.compat import uuid7

SUFFIX = re.compile(r"[a-z2-7]{26}", re.ASCII)


def new() -> UUID:
    """A fresh UUIDv7."""
    return uuid7()


def public(prefix: str, id: UUID) -> str:
    """`public("srch", id)` -> `srch_...`."""
    return f"{prefix}_{base64.b32encode(id.bytes).decode().rstrip('=').lower()}"


def internal(prefix: str, text: str) -> UUID | None:
    """The UUID behind a public identifier, or None for anything we never issued."""
    head, _, suffix = text.partition("_")
    if head != prefix or not SUFFIX.fullmatch(suffix):
        return None
    try:
        id = UUID(bytes=base64.b32decode(suffix.upper() + "======"))
    except (binascii.Error, ValueError):
        return None
    # Base32 leaves two spare bits: only the canonical spelling names the thing.
    return id if public(prefix, id) == text else None
