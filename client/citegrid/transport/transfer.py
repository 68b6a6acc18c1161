"""From our requests to httpx's, and from its answers to ours, for both runners."""

from typing import Any, TypeVar

import httpx

from citegrid.errors import (
    AnswerTimedOut,
    ConnectionFailed,
    DeadlineReached,
    InvalidArgument,
    UnusableAnswer,
)
from citegrid.transport import address
from citegrid.transport.exchange import Open, Reply, Request, Send

H = TypeVar("H", httpx.Client, httpx.AsyncClient)


def connected(kind: type[H], base_url: str, **options: Any) -> H:
    """A client of httpx for one server.

    Raises InvalidArgument for proxies and certificates in the environment that cannot be used.
    """
    # A proxy of the environment would read the key on its way to this very machine in plain text.
    trusted = not address.loopback(base_url)
    try:
        return kind(follow_redirects=False, trust_env=trusted, **options)
    except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
        problem = str(error)
    raise InvalidArgument(
        f"A proxy or certificate that the environment names cannot be used: {problem}"
    )


def built(http: httpx.Client | httpx.AsyncClient, effect: Send | Open) -> httpx.Request:
    """The request for httpx, its waits cut to what is left. Raises DeadlineReached."""
    request, policy = effect.request, effect.policy
    left = effect.deadline - policy.clock()
    if left <= 0:
        raise DeadlineReached(f"There was no time left to ask {request.origin}.")
    connect = min(policy.connect_seconds, left)
    read = min(policy.read_seconds + request.held_seconds, left)
    return http.build_request(
        request.method,
        request.url,
        headers=dict(request.headers),
        content=request.content,
        timeout=httpx.Timeout(read, connect=connect, pool=connect),
    )


class Body:
    """Collects an answer up to its bound in bytes and time."""

    def __init__(self, effect: Send | Open) -> None:
        self._policy, self._deadline = effect.policy, effect.deadline
        self._origin = effect.request.origin
        self._pieces: list[bytes] = []
        self._bytes = 0

    def add(self, piece: bytes) -> None:
        """Raises UnusableAnswer, DeadlineReached."""
        self._bytes += len(piece)
        if self._bytes > self._policy.answer_bytes:
            most = self._policy.answer_bytes
            raise UnusableAnswer(f"The answer of {self._origin} is larger than {most} bytes.")
        if self._policy.clock() > self._deadline:
            raise DeadlineReached(f"The answer of {self._origin} did not end in time.")
        self._pieces.append(piece)

    @property
    def whole(self) -> bytes:
        return b"".join(self._pieces)


def head(response: httpx.Response, request: Request, content: bytes = b"") -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, content, request.origin)


def failure(error: httpx.HTTPError | httpx.StreamError, origin: str) -> ConnectionFailed:
    """The failure with its cause; of the request it names no more than its server."""
    cause = _cause(error)
    if isinstance(error, httpx.TimeoutException):
        failed: ConnectionFailed = AnswerTimedOut(f"{origin} did not answer in time")
    else:
        failed = ConnectionFailed(f"The connection to {origin} failed")
    why = str(cause).strip() if cause is not None else ""
    failed.args = (f"{failed} ({why or type(error).__name__}).",)
    failed.__cause__ = cause
    return failed


def _cause(error: httpx.HTTPError | httpx.StreamError) -> BaseException | None:
    """Returns what the system or the other side said first; httpx's own errors hold the request."""
    first: BaseException = error
    while (below := first.__cause__ or first.__context__) is not None:
        first = below.exceptions[0] if isinstance(below, BaseExceptionGroup) else below
    theirs = isinstance(error, httpx.RemoteProtocolError) and first is not error
    if theirs or isinstance(first, OSError):  # anything else may repeat headers of ours
        return first.with_traceback(None)  # its frames hold the request as well
    return None
