"""Makes effects happen while other tasks go on, under asyncio or trio."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from typing import Any, Self, TypeVar

import anyio
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


class AsyncRunner:
    """Runs steps on an `httpx.AsyncClient`. Tasks may share it."""

    def __init__(self, base_url: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._http = connected(httpx.AsyncClient, base_url, transport=transport)

    async def run(self, steps: Steps[T]) -> T:
        """Make every effect happen and return what the steps return."""
        conversation = _Conversation(self._http)
        try:
            effect = next(steps)
            while True:
                effect = await conversation.resume(steps, effect)
        except _Return as ended:
            result: T = ended.value
            return result
        finally:
            await conversation.close()

    async def iterate(self, steps: Produce[T]) -> AsyncGenerator[T, None]:
        """The items of the steps. Closing the iterator closes the connection."""
        conversation = _Conversation(self._http)
        try:
            effect = next(steps, None)
            while effect is not None:
                if isinstance(effect, Emit):
                    yield effect.item
                    effect = next(steps, None)
                else:
                    effect = await conversation.resume_or_end(steps, effect)
        finally:
            steps.close()
            await conversation.close()

    async def close(self) -> None:
        await self._http.aclose()


class AsyncContext:
    """A client that is used in an `async with` block, or closed."""

    _runner: AsyncRunner

    async def aclose(self) -> None:
        """Close the connections."""
        await self._runner.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_failure: object) -> None:
        await self.aclose()


class _Return(Exception):
    """The steps returned `value`; StopIteration may not leave a coroutine."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class _Conversation:
    """One run: at most one answer is open at a time."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._origin = ""
        self._open: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None

    async def resume(self, steps: Generator[Any, Any, Any], effect: Effect) -> Any:
        """The next effect. Raises _Return at the end, and what the steps raise."""
        outcome = await self._perform(effect)
        try:
            if isinstance(outcome, CitegridError):
                return steps.throw(outcome)
            return steps.send(outcome)
        except StopIteration as ended:
            value = ended.value
        raise _Return(value)

    async def resume_or_end(self, steps: Produce[T], effect: Effect) -> Effect | Emit[T] | None:
        try:
            following: Effect | Emit[T] = await self.resume(steps, effect)
        except _Return:
            return None
        return following

    async def close(self) -> None:
        if self._open is not None:
            await self._open.aclose()
            self._open = None

    async def _perform(self, effect: Effect) -> Reply | bytes | CitegridError | None:
        # Returned, not raised: see sync_runner.py.
        try:
            match effect:
                case Pause():
                    await anyio.sleep(effect.seconds)
                    return None
                case ReadPiece():
                    return await self._piece()
                case Send() | Open():
                    return await self._exchange(effect)
        except (httpx.HTTPError, httpx.StreamError) as error:
            return failure(error, self._origin)
        except CitegridError as error:
            return error

    async def _piece(self) -> bytes:
        return b"" if self._pieces is None else await anext(self._pieces, b"")

    async def _exchange(self, effect: Send | Open) -> Reply:
        await self.close()
        self._origin = effect.request.origin
        request = built(self._http, effect)
        response = await self._http.send(request, stream=True)
        if isinstance(effect, Open) and response.status_code == httpx.codes.OK:
            self._open, self._pieces = response, response.aiter_bytes()
            return head(response, effect.request)
        try:
            body = Body(effect)
            async for piece in response.aiter_bytes():
                body.add(piece)
        finally:
            await response.aclose()
        return head(response, effect.request, body.whole)
