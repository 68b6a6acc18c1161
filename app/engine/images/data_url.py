"""Data URLs (RFC 2397) in the one spelling that is taken: closed types, canonical base64."""

import base64
import binascii
import re
from typing import Final, NamedTuple

from app.engine.images.refusal import ImageRefused

MEDIA_TYPES: Final = ("image/png", "image/jpeg", "image/webp")
MOST_BYTES: Final = 262_144
MOST_CHARACTERS: Final = 4 * ((MOST_BYTES + 2) // 3)
"""The base64 text of that many bytes."""

_SHAPE = re.compile(r"data:([a-z0-9.+*-]+/[a-z0-9.+*-]+);base64,(.*)", re.ASCII | re.DOTALL)


class Content(NamedTuple):
    """The content of a data URL; `media_type` is only what it says of itself."""

    media_type: str
    data: bytes


def parse(text: str) -> Content:
    """The content of a data URL.

    Raises ImageRefused: invalid_data_url, unsupported_media_type, invalid_base64 or too_large.
    """
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise ImageRefused("invalid_data_url")
    if found[1] not in MEDIA_TYPES:
        raise ImageRefused("unsupported_media_type")
    if len(found[2]) > MOST_CHARACTERS:
        raise ImageRefused("too_large")
    data = _decode(found[2])
    if len(data) > MOST_BYTES:
        raise ImageRefused("too_large")
    return Content(found[1], data)


def _decode(text: str) -> bytes:
    """Canonical: encoding it again gives the same text. Python alone takes stray trailing bits."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ImageRefused("invalid_base64") from None
    if not data or base64.b64encode(data).decode() != text:
        raise ImageRefused("invalid_base64")
    return data
