"""Messages on the connection to the child: a head of JSON and a body of bytes, lengths before."""

import struct
from collections.abc import Callable

import orjson

from app.core import untrusted_json

_LENGTHS = struct.Struct(">II")
MOST_HEAD_BYTES = 96 * 1024 * 1024
MOST_BODY_BYTES = 32 * 1024 * 1024

Receive = Callable[[int], bytes]
"""Some of the next bytes, at most so many; b"" when the other side has gone."""


class ChannelFailed(Exception):
    """The other side has gone, or what it sent is no message."""


def encode(head: object, body: bytes = b"") -> bytes:
    """One message. `head` is plain data or made of dataclasses of plain data."""
    head_bytes = untrusted_json.dumps(head)
    return b"".join((_LENGTHS.pack(len(head_bytes), len(body)), head_bytes, body))


def receive(some: Receive) -> tuple[object, bytes]:
    """The next message. Raises ChannelFailed."""
    head_length, body_length = _LENGTHS.unpack(_exactly(some, _LENGTHS.size))
    if head_length > MOST_HEAD_BYTES or body_length > MOST_BODY_BYTES:
        raise ChannelFailed("too long")
    head = _exactly(some, head_length)
    try:
        return orjson.loads(head), _exactly(some, body_length)
    except orjson.JSONDecodeError as error:
        raise ChannelFailed("not JSON") from error


def _exactly(some: Receive, count: int) -> bytes:
    received = bytearray()
    while len(received) < count:
        piece = some(count - len(received))
        if not piece:
            raise ChannelFailed("gone")
        received += piece
    return bytes(received)
