"""Lists that are also sent whole: the form that `Accept` names, streams with slots of their own."""

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Final

from flask import Response, current_app, request

from app.core.errors import NotAcceptable, Overloaded, required

JSON, NDJSON, CSV = "application/json", "application/x-ndjson", "text/csv"
_FORMS: Final = (JSON, NDJSON, CSV)
_SENT: Final = {JSON: JSON, NDJSON: NDJSON, CSV: f"{CSV}; charset=utf-8; header=present"}
RETRY_SECONDS: Final = 5
BLOCK_BYTES: Final = 32_768


class Slots:
    """The number of exports a process serves at once: each holds a thread."""

    def __init__(self, most: int) -> None:
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> Callable[[], None]:
        """Takes a slot, and returns how to give it back. Raises Overloaded."""
        if not self._free.acquire(blocking=False):
            raise Overloaded(retry_after=RETRY_SECONDS)
        return self._free.release


class SlotStream:
    """A streamed body that gives its slot back when the server closes it, also if never started."""

    def __init__(self, chunks: Iterator[bytes], release: Callable[[], None]) -> None:
        self._chunks, self._release = chunks, release
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            if isinstance(self._chunks, Generator):
                self._chunks.close()
            self._release()


def wanted_form() -> str:
    """JSON, NDJSON or CSV. Raises NotAcceptable."""
    wanted = request.accept_mimetypes
    return required(wanted.best_match(_FORMS) if wanted else JSON, NotAcceptable)


def streamed(chunks: Iterator[bytes], form: str) -> Response:
    """The list as it is made. Raises Overloaded."""
    headers = {"Vary": "Accept", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":  # its body is never iterated, nor closed
        return Response(content_type=_SENT[form], headers=headers)
    body = SlotStream(chunks, current_app.extensions["exports"].take())
    return Response(body, content_type=_SENT[form], headers=headers)


def in_blocks(lines: Iterable[bytes]) -> Generator[bytes]:
    """The same bytes in fewer, larger pieces."""
    block = bytearray()
    for line in lines:
        block += line
        if len(block) > BLOCK_BYTES:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)


def documented(page: type, line: str, header: str) -> dict[str, Any]:
    """For the interface's document, as streams are not marshmallow's to write.

    `page` is the schema of the JSON; a `line` of NDJSON and the `header` of CSV are the examples.
    """
    return {
        "responses": {
            "200": {
                "description": "A page of JSON, or all items in the format of `Accept`.",
                "content": {
                    JSON: {"schema": page},
                    NDJSON: {
                        "schema": {"type": "string", "description": "One JSON record per line."},
                        "example": line,
                    },
                    CSV: {
                        "schema": {"type": "string", "description": "RFC 4180 with a header."},
                        "example": header,
                    },
                },
            }
        }
    }
