"""One request to one target and the reading of its answer."""

import http.client
import ssl
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import urllib3.exceptions
from urllib3.connection import HTTPConnection
from urllib3.response import HTTPResponse

from app.engine.fetch.body import BodyBuffer, TooLarge, gunzip, gunzip_file
from app.engine.fetch.connection import Cutter, Dialer, connection
from app.engine.fetch.deadline import Deadline
from app.engine.fetch.failure import FetchFailed, Reason
from app.engine.fetch.policy import GZIP_FILES, FetchPolicy
from app.engine.fetch.response import Response, media_type_of
from app.engine.fetch.url import Target

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_BODILESS: Final = REDIRECTS | {204, 205, 304}
_READ_BYTES: Final = 16384
_IDENTITY: Final = frozenset({"", "identity"})
_GZIP: Final = frozenset({"gzip", "x-gzip"})
_CONDITIONS: Final = frozenset({"If-None-Match", "If-Modified-Since"})


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """The request as it is sent: `headers` are checked and named in title case."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Exchanger:
    """Carries requests out through `dialer`, verifying names with `tls`."""

    dialer: Dialer
    tls: ssl.SSLContext

    def exchange(
        self, request: FetchRequest, target: Target, policy: FetchPolicy, deadline: Deadline
    ) -> tuple[Response, bool]:
        """The answer, and whether the operator's allow-list led to the server.

        A new connection each time: a pooled one would outlive the judgement of its address.
        Raises FetchFailed.
        """
        try:
            sock, by_allow_list = self.dialer.dial(target, policy, deadline)
            with sock, Cutter(sock, deadline.left()) as cutter:
                link = connection(target, sock, self.tls, deadline.left(policy.read_seconds))
                with closing(link):
                    return _speak(link, request, target, policy, cutter), by_allow_list
        except TimeoutError:
            raise FetchFailed("timeout", target.host) from None


def _speak(
    link: HTTPConnection, request: FetchRequest, target: Target, policy: FetchPolicy, cutter: Cutter
) -> Response:
    try:
        link.request(
            request.method,
            target.path,
            body=request.body,
            headers=_all_headers(request, policy),
            preload_content=False,
            decode_content=False,
        )
        with closing(link.getresponse()) as answer:
            cutter.check()
            return _response(request, answer, target, policy, cutter)
    except _BROKEN as error:
        cutter.check()
        raise FetchFailed(_reason(error), target.host) from None


def _all_headers(request: FetchRequest, policy: FetchPolicy) -> dict[str, str]:
    return {
        "Accept": "*/*",
        **request.headers,
        "User-Agent": policy.user_agent,
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }


def _response(
    request: FetchRequest, answer: HTTPResponse, target: Target, policy: FetchPolicy, cutter: Cutter
) -> Response:
    # What comes before an answer was passed over; 101 is an upgrade that was never asked for.
    if answer.version < 10 or answer.status < 200:
        raise FetchFailed("bad_response", target.host)
    collected = BodyBuffer(policy.max_body_bytes, truncate=policy.truncate)
    if _has_wanted_body(request, answer.status):
        _judge(request, answer, target, policy)
        try:
            collected.add_all(_decoded(answer, policy, cutter))
        except TooLarge:
            raise FetchFailed("response_too_large", target.host) from None
    return Response(
        status=answer.status,
        url=target.url,
        headers={name.lower(): answer.headers[name] for name in answer.headers},
        body=collected.body(),
        fetched_at=datetime.now(UTC),
        conditional=not _CONDITIONS.isdisjoint(request.headers),
        truncated=collected.truncated,
    )


def _has_wanted_body(request: FetchRequest, status: int) -> bool:
    return status not in _BODILESS and (request.method != "GET" or status < 300)


def _judge(
    request: FetchRequest, answer: HTTPResponse, target: Target, policy: FetchPolicy
) -> None:
    """Refuse by the headers alone what need not be read."""
    types = policy.media_types
    if request.method == "GET" and types is not None and _media_type(answer) not in types:
        raise FetchFailed("unsupported_media_type", target.host)
    if _encoding(answer) not in _IDENTITY | _GZIP:
        raise FetchFailed("unsupported_encoding", target.host)
    length = answer.length_remaining
    if length is not None and length > policy.max_wire_bytes and not policy.truncate:
        raise FetchFailed("response_too_large", target.host)


def _decoded(answer: HTTPResponse, policy: FetchPolicy, cutter: Cutter) -> Iterator[bytes]:
    pieces = _wire(answer, policy.max_wire_bytes, cutter)
    if _encoding(answer) in _GZIP:
        pieces = gunzip(pieces)
    if _media_type(answer) in GZIP_FILES:
        pieces = gunzip_file(pieces)
    return pieces


def _wire(answer: HTTPResponse, limit: int, cutter: Cutter) -> Iterator[bytes]:
    size = 0
    while chunk := answer.read(_READ_BYTES, decode_content=False):
        cutter.check()
        size += len(chunk)
        if size > limit:
            raise TooLarge
        yield chunk
    cutter.check()


def _media_type(answer: HTTPResponse) -> str:
    return media_type_of(answer.headers.get("Content-Type", ""))


def _encoding(answer: HTTPResponse) -> str:
    return answer.headers.get("Content-Encoding", "").strip().lower()


# All that sending, TLS, http.client, urllib3 and zlib raise on a hostile or broken server.
_BROKEN: Final = (
    OSError,
    EOFError,
    ValueError,
    http.client.HTTPException,
    urllib3.exceptions.HTTPError,
    zlib.error,
)


def _reason(error: Exception) -> Reason:
    if isinstance(error, TimeoutError | urllib3.exceptions.TimeoutError):
        return "timeout"
    if isinstance(error, ssl.SSLError | urllib3.exceptions.SSLError):
        return "tls_failed"
    if isinstance(error, ConnectionError) or isinstance(error.__cause__, ConnectionError):
        return "connect_failed"
    return "bad_response"
