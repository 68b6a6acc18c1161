"""Lists that are also sent whole, in the form that `Accept` names."""

from collections.abc import Generator, Iterable, Iterator
from typing import Any, Final

from flask import Response, current_app, request

from app.core.errors import NotAcceptable, required
from app.core.http.exports.slots import SlotStream

JSON, NDJSON, CSV = "application/json", "application/x-ndjson", "text/csv"
_FORMS: Final = (JSON, NDJSON, CSV)
_SENT: Final = {JSON: JSON, NDJSON: NDJSON, CSV: f"{CSV}; charset=utf-8; header=present"}
BLOCK_BYTES: Final = 32_768


def wanted() -> str:
    """JSON, NDJSON or CSV. Raises NotAcceptable."""
    accepted = request.accept_mimetypes
    return required(accepted.best_match(_FORMS) if accepted else JSON, NotAcceptable)


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
