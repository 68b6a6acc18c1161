"""Walks a PNG, JPEG or WebP file from its first byte to its last, without decoding a pixel.

Decoders stop at the end of the picture and say nothing of what follows; they show the first frame
of an animation, and inflate whatever a chunk holds.
"""

import zlib
from collections.abc import Callable
from typing import Final, Literal

from app.engine.images.refusal import ImageRefused

MOST_INFLATED_BYTES: Final = 1 << 20
MOST_SCANS: Final = 64
"""Of a progressive JPEG. Encoders make about ten; each may cost a pass over the whole picture."""

_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_ANIMATED_CHUNKS: Final = frozenset({b"acTL", b"fcTL", b"fdAT"})
_COMPRESSED_CHUNKS: Final = frozenset({b"iCCP", b"zTXt"})
_ANIMATED_WEBP: Final = frozenset({b"ANIM", b"ANMF"})


def media_type(data: bytes) -> str | None:
    """Returns the media type that the signature gives, of the types this module can walk."""
    if data.startswith(_PNG_SIGNATURE):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def walk(data: bytes, media_type: str) -> None:
    """Raises ImageRefused: invalid_image, animated_image or trailing_data."""
    _WALKS[media_type](data)


def _walk_png(data: bytes) -> None:
    """Chunks (PNG, third edition, section 5): length, type, data, CRC; IHDR first, IEND last."""
    at, kind, animated = len(_PNG_SIGNATURE), b"", False
    while kind != b"IEND":
        first = not kind
        end = at + 12 + _number(data, at, 4)
        checksum = _number(data, end - 4, 4)
        body = data[at + 4 : end - 4]
        kind = body[:4]
        if zlib.crc32(body) != checksum or first != (kind == b"IHDR"):
            raise ImageRefused("invalid_image")
        if kind in _COMPRESSED_CHUNKS:
            _inflate(body[4:])
        animated |= kind in _ANIMATED_CHUNKS
        at = end
    if at != len(data):
        raise ImageRefused("trailing_data")
    if animated:
        raise ImageRefused("animated_image")


def _number(data: bytes, at: int, size: int, order: Literal["big", "little"] = "big") -> int:
    if at + size > len(data):
        raise ImageRefused("invalid_image")
    return int.from_bytes(data[at : at + size], order)


def _inflate(body: bytes) -> None:
    """A name, NUL, the method, then what is compressed: refused if that is too much."""
    _, nul, packed = body.partition(b"\0")
    inflater = zlib.decompressobj()
    try:
        inflater.decompress(packed[1:], MOST_INFLATED_BYTES)
    except zlib.error:
        raise ImageRefused("invalid_image") from None
    if not nul or inflater.unconsumed_tail:
        raise ImageRefused("invalid_image")


def _walk_jpeg(data: bytes) -> None:
    """Markers (ITU-T T.81, annex B) up to EOI."""
    at, scans = 2, 0
    while (marker := _marker(data, at))[0] != 0xD9:
        kind, at = marker
        if kind == 0x01 or 0xD0 <= kind <= 0xD7:
            continue  # stands alone
        size = _number(data, at, 2)
        at += size
        if size < 2 or at > len(data):
            raise ImageRefused("invalid_image")
        if kind == 0xDA:
            scans += 1
            at = _after_scan(data, at)
    if scans > MOST_SCANS:
        raise ImageRefused("invalid_image")
    if marker[1] != len(data):
        raise ImageRefused("trailing_data")


def _marker(data: bytes, at: int) -> tuple[int, int]:
    """The marker at a position, fill bytes before it skipped, and where it ends."""
    start = at
    while at < len(data) and data[at] == 0xFF:
        at += 1
    if at == start or at == len(data):
        raise ImageRefused("invalid_image")
    return data[at], at + 1


def _after_scan(data: bytes, at: int) -> int:
    """Finds the end of entropy-coded data: the next marker but stuffing and restarts."""
    while (at := data.find(b"\xff", at)) >= 0 and at + 1 < len(data):
        following = data[at + 1]
        if following == 0xFF:
            at += 1
        elif following == 0 or 0xD0 <= following <= 0xD7:
            at += 2
        else:
            return at
    raise ImageRefused("invalid_image")


def _walk_webp(data: bytes) -> None:
    """RIFF chunks (RFC 9649, section 2.3): type, length, data, padded to even."""
    end, at, animated = _number(data, 4, 4, "little") + 8, 12, False
    if end > len(data):
        raise ImageRefused("invalid_image")
    if end < len(data):
        raise ImageRefused("trailing_data")
    while at < end:
        size = _number(data, at + 4, 4, "little")
        animated |= data[at : at + 4] in _ANIMATED_WEBP
        at += 8 + size + size % 2
    if at != end:
        raise ImageRefused("invalid_image")
    if animated:
        raise ImageRefused("animated_image")


_WALKS: Final[dict[str, Callable[[bytes], None]]] = {
    "image/png": _walk_png,
    "image/jpeg": _walk_jpeg,
    "image/webp": _walk_webp,
}
