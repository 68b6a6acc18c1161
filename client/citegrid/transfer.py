"""What both ways of running share: from our requests to httpx's, from its answers to ours."""

from httpx import AsyncClient, Client, HTTPError, Response, Timeout, TimeoutException
from httpx import Request as HttpRequest

from citegrid.errors import AnswerTimedOut, ConnectionFailed, DeadlineReached, UnusableAnswer
from citegrid.exchange import Open, Policy, Reply, Send


def built(http: Client | AsyncClient, effect: Send | Open, policy: Policy) -> HttpRequest:
    """The request for httpx, each of its waits cut to what the deadline leaves.

    Raises DeadlineReached.
    """
    left = effect.deadline - policy.clock()
    if left <= 0:
        raise DeadlineReached("There was no time left to ask.")
    asked = effect.request
    connect = min(policy.connect_seconds, left)
    read = min(policy.read_seconds + asked.held_seconds, left)
    return http.build_request(
        asked.method,
        asked.url,
        headers=dict(asked.headers),
        content=asked.content,
        timeout=Timeout(read, connect=connect, pool=connect),
    )


class Body:
    """Collects an answer up to its bound in bytes and time."""

    def __init__(self, policy: Policy, deadline: float) -> None:
        self._policy, self._deadline = policy, deadline
        self._pieces: list[bytes] = []
        self._bytes = 0

    def add(self, piece: bytes) -> None:
        """Raises UnusableAnswer, DeadlineReached."""
        self._bytes += len(piece)
        if self._bytes > self._policy.answer_bytes:
            raise UnusableAnswer(f"The answer is larger than {self._policy.answer_bytes} bytes.")
        if self._policy.clock() > self._deadline:
            raise DeadlineReached("The answer did not end in time.")
        self._pieces.append(piece)

    @property
    def whole(self) -> bytes:
        return b"".join(self._pieces)


def head(response: Response, content: bytes = b"") -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, content)


def failure(error: HTTPError) -> ConnectionFailed:
    """What went wrong, in words that hold nothing of the request."""
    if isinstance(error, TimeoutException):
        return AnswerTimedOut("The server did not answer in time.")
    return ConnectionFailed(f"The connection to the server failed ({type(error).__name__}).")
