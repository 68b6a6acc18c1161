"""Makes effects happen while the caller waits."""

import time
from collections.abc import Generator, Iterator
from typing import Any, Self, TypeVar

import httpx

from citegrid.errors import CitegridError
from citegrid.transport.exchange import (
    Effect,
    Emit,
    Open,
    Pause,
    Produce,
    ReadPiece,
    Reply,
    Send,
    Steps,
)
from citegrid.transport.transfer import Body, built, connected, failure, head

T = TypeVar("T")


class SyncRunner:
    """Runs steps on an `httpx.Client`. Threads may share it."""

    def __init__(self, base_url: str, transport: httpx.BaseTransport | None = None) -> None:
        self._http = connected(httpx.Client, base_url, transport=transport)

    def run(self, steps: Steps[T]) -> T:
        """Make every effect happen and return what the steps return."""
        conversation = _Conversation(self._http)
        try:
            effect = next(steps)
            while True:
                effect = conversation.resume(steps, effect)
        except StopIteration as ended:
            result: T = ended.value
            return result
        finally:
            conversation.close()

    def iterate(self, steps: Produce[T]) -> Generator[T, None, None]:
        """The items of the steps. Leaving early closes the connection."""
        conversation = _Conversation(self._http)
        try:
            effect = next(steps, None)
            while effect is not None:
                if isinstance(effect, Emit):
                    yield effect.item
                    effect = next(steps, None)
                else:
                    effect = conversation.resume_or_end(steps, effect)
        finally:
            steps.close()
            conversation.close()

    def close(self) -> None:
        self._http.close()


class SyncContext:
    """A client that is used in a `with` block, or closed."""

    _runner: SyncRunner

    def close(self) -> None:
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()


class _Conversation:
    """One run: at most one answer is open at a time."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._origin = ""
        self._open: httpx.Response | None = None
        self._pieces: Iterator[bytes] = iter(())

    def resume(self, steps: Generator[Any, Any, Any], effect: Effect) -> Any:
        """The next effect. Raises StopIteration at the end, and what the steps raise."""
        outcome = self._perform(effect)
        if isinstance(outcome, CitegridError):
            return steps.throw(outcome)
        return steps.send(outcome)

    def resume_or_end(self, steps: Produce[T], effect: Effect) -> Effect | Emit[T] | None:
        try:
            following: Effect | Emit[T] = self.resume(steps, effect)
        except StopIteration:
            return None
        return following

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _perform(self, effect: Effect) -> Reply | bytes | CitegridError | None:
        # Failures are returned, not raised: what they become must not drag httpx's request, and the
        # key in it, along as its context.
        try:
            match effect:
                case Pause():
                    time.sleep(effect.seconds)
                    return None
                case ReadPiece():
                    return next(self._pieces, b"")
                case Send() | Open():
                    return self._exchange(effect)
        except (httpx.HTTPError, httpx.StreamError) as error:
            return failure(error, self._origin)
        except CitegridError as error:
            return error

    def _exchange(self, effect: Send | Open) -> Reply:
        self.close()
        self._origin = effect.request.origin
        request = built(self._http, effect)
        response = self._http.send(request, stream=True)
        if isinstance(effect, Open) and response.status_code == httpx.codes.OK:
            self._open, self._pieces = response, response.iter_bytes()
            return head(response, effect.request)
        try:
            body = Body(effect)
            for piece in response.iter_bytes():
                body.add(piece)
        finally:
            response.close()
        return head(response, effect.request, body.whole)
