"""The data of server-sent events, line by line and with a cap on each."""

from collections.abc import AsyncIterator
from typing import Final

MOST_LINE_BYTES: Final = 1024 * 1024
"""Some backends say the arguments of a tool in one line."""


class LineTooLong(Exception):
    """A line is longer than any that we pass on."""


async def data_of(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yields what stands behind `data:`; each line is one event, as chat completions have them."""
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if data := _data(line):
                yield data
        if len(rest) > MOST_LINE_BYTES:
            raise LineTooLong
    if data := _data(rest):
        yield data


def _data(line: bytes) -> bytes:
    if len(line) > MOST_LINE_BYTES:
        raise LineTooLong
    return line[5:].strip() if line.startswith(b"data:") else b""
