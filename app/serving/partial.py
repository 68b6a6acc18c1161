"""A request that is still arriving: whether gunicorn's parser can decide without another byte.

This schedules, it does not judge: every byte goes to gunicorn's parser as it came. Where this is
wrong the parser finds too little and the connection is closed; nobody waits.
"""

import re
from typing import Final

HEAD_BYTES: Final = 64 << 10
BODY_BYTES: Final = 1 << 20
"""The application refuses larger bodies by their head, so there is no need to receive them."""
UPLOAD_BYTES: Final = 20 << 20
"""As `BODY_BYTES`, of documents that are uploaded."""
MOST_CHUNKS: Final = 16_384

_UPLOAD = re.compile(
    rb"PUT /v1/corpora/[^/? ]+/documents/|POST /v1/corpora/[^/? ]+/documents[? ]"
    rb"|POST /documents/[^/? ]+/upload "
)
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n", re.I)
_ENCODING = re.compile(rb"\r\ntransfer-encoding:([^\r\n]*)\r\n", re.I)
_EXPECT = re.compile(rb"\A[^\r\n]* HTTP/1\.1\r\n(?:.*\r\n)?expect:[ \t]*100-continue", re.I | re.S)
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[^\r\n]*\r\n")
_CHUNK_LINE_BYTES: Final = 8192


class PartialRequest:
    """The received part of a request; on a kept connection the beginning of the next may follow it.

    `expects` says that the client waits for `100 Continue`; `too_large` that the body will be
    refused and is not waited for; `endless` that the head is longer than any may be. Each search
    starts where the one before ended, so that a client who sends byte by byte costs as little as
    one who does not.
    """

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.chunked = self.expects = self.too_large = self.endless = False
        self._in_body = False
        self._most_bytes = BODY_BYTES  # of the body
        self._searched = 0  # of the head, then of the trailers
        self._at = 0  # the body or its next chunk begins here
        self._length = 0  # of the body, as announced so far
        self._chunks = 0

    @property
    def body_bytes(self) -> int:
        """The size of the body, as far as it has been announced."""
        return max(self._length, self._most_bytes + 1) if self.too_large else self._length

    def is_complete(self) -> bool:
        """True if it is whole, or certain to be refused."""
        if not self._in_body and not self._find_body():
            return self._head_is_refused()
        if self.chunked:
            return self.too_large or self._chunks_are_complete()
        return self.too_large or len(self.data) >= self._at + self._length

    def _find_body(self) -> bool:
        end = self.data.find(b"\r\n\r\n", max(0, self._searched - 3))
        if end < 0:
            return False
        head, self._in_body = bytes(self.data[: end + 4]), True
        self._at = self._searched = end + 4
        if _UPLOAD.match(head):
            self._most_bytes = UPLOAD_BYTES
        length, encoding = _LENGTH.search(head), _ENCODING.search(head)
        if encoding is None:
            self._length = int(length[1]) if length else 0
        else:  # with a length as well it is refused
            self.chunked = length is None and _is_chunked(encoding[1])
        self.too_large = self._length > self._most_bytes
        waits = len(self.data) == self._at and (
            self.chunked or 0 < self._length <= self._most_bytes
        )
        self.expects = waits and _EXPECT.match(head) is not None
        return True

    def _head_is_refused(self) -> bool:
        """A line feed without its carriage return, or too long a head."""
        feeds = self.data.count(b"\n", self._searched)
        line_ends = self.data.count(b"\r\n", max(0, self._searched - 1))
        self._searched = len(self.data)
        self.endless = len(self.data) > HEAD_BYTES
        return feeds != line_ends or self.endless

    def _chunks_are_complete(self) -> bool:
        while chunk := _CHUNK.match(self.data, self._at):
            size = int(chunk[1], 16)
            if size == 0:
                return self._trailers_are_complete(chunk.end())
            self._length += size
            self._chunks += 1
            self._at = chunk.end() + size + 2
            # The body may be small, and its chunks' extensions large.
            too_long = self._at > HEAD_BYTES + 2 * self._most_bytes
            if self._length > self._most_bytes or self._chunks > MOST_CHUNKS or too_long:
                self.too_large = True
                return True
        line = self.data[self._at : self._at + _CHUNK_LINE_BYTES]
        return b"\n" in line or len(line) == _CHUNK_LINE_BYTES  # no chunk begins like this

    def _trailers_are_complete(self, at: int) -> bool:
        start = max(at - 2, self._searched - 3)
        self._searched = len(self.data)
        return self.data.find(b"\r\n\r\n", start) >= 0 or len(self.data) - at > HEAD_BYTES


def _is_chunked(encodings: bytes) -> bool:
    return any(name.strip(b" \t") == b"chunked" for name in encodings.lower().split(b","))
