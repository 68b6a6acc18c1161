"""Reading a body under two limits: bytes on the wire and bytes once decoded."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

import urllib3

from app.engine.fetch.deadline import Deadline

_PIECE_BYTES: Final = 65536
_GZIP: Final = 31  # zlib: 15 bits of window, gzip header and trailer wanted
_MAGIC: Final = b"\x1f\x8b"


class TooLarge(Exception):
    """A limit was passed."""


class BodyBuffer:
    """Bytes up to `limit`. Past it: TooLarge, or with `truncate` the rest is dropped."""

    def __init__(self, limit: int, *, truncate: bool) -> None:
        self._limit = limit
        self._truncate = truncate
        self._size = 0
        self._pieces: list[bytes] = []
        self.truncated = False

    def add_all(self, pieces: Iterable[bytes]) -> None:
        """Take pieces until they end or the body is full. Raises TooLarge."""
        for piece in pieces:
            room = self._limit - self._size
            self._pieces.append(piece[:room])
            self._size += min(len(piece), room)
            if len(piece) > room:
                if not self._truncate:
                    raise TooLarge
                self.truncated = True
                return

    def body(self) -> bytes:
        return b"".join(self._pieces)


def read_whole(answer: urllib3.BaseHTTPResponse, deadline: Deadline, limit: int) -> bytes:
    """The body as it comes. Raises TooLarge, TimeoutError, urllib3.exceptions.HTTPError."""
    collected = BodyBuffer(limit, truncate=False)
    collected.add_all(_timely(answer, deadline))
    return collected.body()


def _timely(answer: urllib3.BaseHTTPResponse, deadline: Deadline) -> Iterator[bytes]:
    while piece := answer.read1(_PIECE_BYTES):
        deadline.left()
        yield piece


def gunzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The members of a gzip stream (RFC 1952), inflated in pieces of at most 64 KiB.

    What follows the last member and is not gzip is padding and is dropped. Raises zlib.error on
    damage and EOFError when the stream ends inside a member.
    """
    member = zlib.decompressobj(_GZIP)
    begun = False
    held = b""
    for chunk in chunks:
        held += chunk
        while held:
            if member.eof:
                if not _may_begin_member(held):
                    return
                if len(held) < len(_MAGIC):
                    break
                member = zlib.decompressobj(_GZIP)
            begun = True
            piece = member.decompress(held, _PIECE_BYTES)
            held = member.unused_data if member.eof else member.unconsumed_tail
            if piece:
                yield piece
    if begun and not member.eof:
        raise EOFError


def gunzip_file(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """`gunzip` when the content is a gzip file, unchanged when the server had undone that."""
    rest = iter(pieces)
    head = b""
    for piece in rest:
        head += piece
        if len(head) >= len(_MAGIC):
            break
    whole = _chained(head, rest)
    return gunzip(whole) if head.startswith(_MAGIC) else whole


def _may_begin_member(held: bytes) -> bool:
    return held.startswith(_MAGIC) or _MAGIC.startswith(held)


def _chained(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest
