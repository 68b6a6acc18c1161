"""Protocol buffers, as far as writing files of two known formats needs them.

protobuf.dev/programming-guides/encoding
"""

import struct
from collections.abc import Iterable
from typing import Final

_VARINT, _BYTES, _FLOAT = 0, 2, 5  # kinds of field
_MORE: Final = 0x80


def number(field: int, value: int) -> bytes:
    """A whole number from 0 up, or a truth."""
    return varint(field << 3 | _VARINT) + varint(value)


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | _FLOAT) + struct.pack("<f", value)


def message(field: int, content: bytes) -> bytes:
    """A message, a text in UTF-8, or bytes."""
    return varint(field << 3 | _BYTES) + varint(len(content)) + content


def messages(field: int, contents: Iterable[bytes]) -> bytes:
    return b"".join(message(field, content) for content in contents)


def texts(field: int, values: Iterable[str]) -> bytes:
    return messages(field, (value.encode() for value in values))


def varint(value: int) -> bytes:
    written = bytearray()
    while value >= _MORE:
        written.append(value & (_MORE - 1) | _MORE)
        value >>= 7
    return bytes([*written, value])
