"""Answers to what never becomes a request of the application, in the one shape of all errors."""

from http import HTTPStatus
from typing import Any, Final

import orjson

from app.core import ids, log
from app.core.errors import (
    AppError,
    ExpectationFailed,
    HeaderTooLarge,
    MalformedRequest,
    RequestTimeout,
    TransferCodingUnknown,
    UriTooLong,
)
from app.core.ids import Noun

_STATUS_AT: Final = slice(9, 12)  # of "HTTP/1.1 400 Bad Request"
_BY_STATUS: Final = {
    error.status: error
    for error in (
        MalformedRequest,
        RequestTimeout,
        UriTooLong,
        ExpectationFailed,
        HeaderTooLarge,
        TransferCodingUnknown,
    )
}

logger = log.get(__name__)


def answer(error: AppError) -> bytes:
    request_id = ids.public(Noun.REQUEST, ids.new())
    logger.info("refused before it was a request", code=error.code, request_id=request_id)
    body = orjson.dumps(error.body(request_id))
    head = (
        f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n"
        "Connection: close\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        f"X-Request-Id: {request_id}\r\n\r\n"
    )
    return head.encode() + body


class ErrorSocket:
    """Takes the page that gunicorn writes for an error, and sends the error that its status says.

    Which status is due, and what is logged, is left to gunicorn.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def gettimeout(self) -> float:
        return 0.0

    def sendall(self, page: bytes) -> None:
        status = int(page[_STATUS_AT])
        unknown = AppError if status >= 500 else MalformedRequest
        self._client.sendall(answer(_BY_STATUS.get(status, unknown)()))
