"""One request and its answer as data, and the rule for sending it again: no input or output here.

What has to happen is a generator of effects; the runners make them happen. So
there is one definition of everything else.
"""

import itertools
import logging
import random
import sys
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf
from typing import Any, Final, Generic, TypeAlias, TypeVar
from urllib.parse import urlsplit

from citegrid.errors import (
    BY_CODE,
    FAMILIES,
    ApiError,
    ConnectionFailed,
    DeadlineReached,
    Detail,
    UnusableAnswer,
)
from citegrid.transport import untrusted_json

T = TypeVar("T")

LOG: Final = logging.getLogger(__name__)
MOST_RETRY_AFTER_SECONDS: Final = 86_400.0


@dataclass(frozen=True, slots=True, repr=False)
class Request:
    """The request as it goes over the wire. Not shown: its headers carry credentials."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    repeatable: bool
    """Whether sending it twice does no more than sending it once."""
    held_seconds: float = 0.0
    """How long the server may hold its answer on purpose."""

    @property
    def origin(self) -> str:
        """The server, without what in an address may be secret: a user, a path, a query."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


RECURSION_LIMIT = sys.getrecursionlimit()
"""As it was before anything of ours was imported."""


@dataclass(frozen=True, slots=True, repr=False)
class Reply:
    """A whole answer, or the head of a stream. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    origin: str = ""

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id")

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> Any:
        """Raises UnusableAnswer."""
        try:
            return untrusted_json.loads(self.content)
        except ValueError:
            message = "is not JSON. Is this the address of a Citegrid server?"
        raise UnusableAnswer(f"The answer of {self.origin or 'the server'} {message}")


@dataclass(frozen=True, slots=True)
class Policy:
    """The time and the number of tries that a call may take.

    `deadline_seconds` limits a call with all its retries; the time of a long poll is added.
    `answer_bytes` limits the size of an answer after decompression.
    """

    deadline_seconds: float = 60.0
    connect_seconds: float = 10.0
    read_seconds: float = 30.0
    retries: int = 5
    first_pause_seconds: float = 0.5
    most_pause_seconds: float = 8.0
    answer_bytes: int = 32 * 1024 * 1024
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    jitter: Callable[[], float] = field(default=random.random, repr=False)

    def pause(self, attempt: int, retry_after: float | None) -> float:
        """Seconds before the next try: full jitter, and never before the server asks for it."""
        doubled = self.first_pause_seconds * 2.0 ** min(attempt, 16)
        return (retry_after or 0.0) + self.jitter() * min(doubled, self.most_pause_seconds)


@dataclass(frozen=True, slots=True)
class Send:
    """Send, and read the answer whole; `deadline` is a moment of the policy's clock."""

    request: Request
    policy: Policy
    deadline: float


@dataclass(frozen=True, slots=True)
class Open:
    """Send, and leave a good answer open to be read in pieces; any other is read whole."""

    request: Request
    policy: Policy
    deadline: float


@dataclass(frozen=True, slots=True)
class ReadPiece:
    """The next piece of the open answer, b"" at its end."""


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Emit(Generic[T]):
    """Hand `item` to whoever iterates."""

    item: T


Effect: TypeAlias = Send | Open | ReadPiece | Pause
Steps: TypeAlias = Generator[Effect, Any, T]
Produce: TypeAlias = Generator[Effect | Emit[T], Any, None]


def exchange(
    request: Request,
    policy: Policy,
    effect: type[Send] | type[Open] = Send,
    until: float = inf,
) -> Steps[Reply]:
    """Send until there is a good answer, a refusal that lasts, or no time left.

    Its deadline is the policy's, or the moment `until` when that is earlier.
    Raises ApiError, ConnectionFailed, DeadlineReached, UnusableAnswer.
    """
    deadline = min(policy.clock() + policy.deadline_seconds + request.held_seconds, until)
    for attempt in itertools.count():
        error: ApiError | ConnectionFailed | DeadlineReached
        began = policy.clock()
        try:
            reply: Reply = yield effect(request, policy, deadline)
        except (ConnectionFailed, DeadlineReached) as failed:
            error = failed
            _log(request, type(failed).__name__, policy.clock() - began)
        else:
            _log(request, reply.status, policy.clock() - began, reply.request_id)
            if reply.good:
                return reply
            error = refusal(reply)
        pause = policy.pause(attempt, error.retry_after)
        again = request.repeatable and error.retryable and attempt < policy.retries
        if not again or policy.clock() + pause >= deadline:
            raise error
        LOG.debug("again in %.1f s", pause)
        yield Pause(pause)
    raise AssertionError("unreachable")


def _log(request: Request, outcome: object, seconds: float, request_id: str | None = None) -> None:
    """One line for each request: neither headers nor bodies, which hold secrets and questions."""
    path = urlsplit(request.url).path
    named = f", request {request_id}" if request_id else ""
    LOG.debug(
        "%s %s%s: %s in %.3f s%s", request.method, request.origin, path, outcome, seconds, named
    )


def refusal(reply: Reply) -> ApiError:
    """The exception that an answer with a status of failure stands for."""
    explained = _explained(reply)
    code = explained.get("code")
    family = FAMILIES.get(reply.status, ApiError)
    kind = BY_CODE.get(code, family) if isinstance(code, str) else family
    if kind.status != reply.status:
        kind = family
    return kind(
        str(explained.get("message") or _unexplained(reply.status)),
        code=code if isinstance(code, str) else f"http_{reply.status}",
        status=reply.status,
        request_id=explained.get("request_id") or reply.request_id,
        retry_after=_retry_after(reply),
        details=_details(explained.get("details")),
    )


def _explained(reply: Reply) -> dict[str, Any]:
    """The server's own error object; empty when something on the way answered instead of it."""
    try:
        error = untrusted_json.loads(reply.content)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}


def _unexplained(status: int) -> str:
    if 300 <= status < 400:
        return "The server redirects. Redirects are not followed with a credential."
    return f"The server answered with status {status} and no explanation."


def _retry_after(reply: Reply) -> float | None:
    """Seconds, or a moment (RFC 9110, section 10.2.3); None for anything else."""
    given = reply.headers.get("retry-after", "")
    try:
        if given.isascii() and given.isdigit():
            return min(float(given), MOST_RETRY_AFTER_SECONDS)
        left = (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds()
    except (OverflowError, TypeError, ValueError):  # no date, or one without a zone
        return None
    return min(max(left, 0.0), MOST_RETRY_AFTER_SECONDS)


def _details(details: Any) -> list[Detail]:
    if not isinstance(details, list):
        return []
    every = [each for each in details if isinstance(each, dict)]
    return [Detail(str(e.get("field", "")), str(e.get("problem", ""))) for e in every]
