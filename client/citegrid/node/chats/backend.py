"""The model on the owner's side: any server of OpenAI's chat completions, read with limits."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx

from citegrid.node.chats.chunks import choices_of, pieces
from citegrid.transport import untrusted_json
from citegrid.transport.transfer import connected

MOST_ANSWER_BYTES: Final = 4 * 1024 * 1024
_MOST_ERROR_BYTES: Final = 64 * 1024
_TIMES: Final = httpx.Timeout(600.0, connect=5.0)
_USAGE: Final = {"include_usage": True, "continuous_usage_stats": True}
_OF_THE_OWNER: Final = (
    httpx.codes.UNAUTHORIZED,
    httpx.codes.FORBIDDEN,
    httpx.codes.NOT_FOUND,
)
"""A wrong key, or a model that is not there: no other request would fare better."""
_ALIVE_SECONDS: Final = 3.0


class BackendError(Exception):
    """`code` is one of the protocol's; `message` has nothing of the prompt in it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class BackendOverload(BackendError):
    """It takes nothing more now."""


class Backend:
    def __init__(
        self,
        url: str,
        models: Sequence[str],
        key: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        base = url.rstrip("/")
        self._base = base if base.endswith("/v1") else f"{base}/v1"
        self.models = tuple(models)
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = connected(
            httpx.AsyncClient, base, headers=headers, timeout=_TIMES, transport=transport
        )
        self._options: list[dict[str, Any]] = [_USAGE, {"include_usage": True}, {}]

    async def close(self) -> None:
        await self._http.aclose()

    async def serving(self) -> Sequence[str]:
        """Returns which of its models it can be asked for now."""
        try:
            reply = await self._http.get(f"{self._base}/models", timeout=_ALIVE_SECONDS)
        except httpx.HTTPError:
            return ()
        # A backend need not list its models: it is there, whatever else it says.
        return self.models if reply.status_code < httpx.codes.INTERNAL_SERVER_ERROR else ()

    async def written(self, messages: Sequence[Mapping[str, str]], max_tokens: int) -> str:
        """A whole answer. Raises BackendError."""
        asked = {
            "model": self.models[0],
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        pieces: list[str] = []
        async for chunk in self.chunks(asked):
            pieces += (text for _, text in _texts(chunk))
        return "".join(pieces)

    async def chunks(self, request: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """The chunks of an answer, whether the backend streams it or not. Raises BackendError."""
        async with self._asked(request) as reply:
            if "text/event-stream" in reply.headers.get("content-type", ""):
                async for chunk in _streamed(reply):
                    for piece in pieces(chunk):
                        yield piece
            else:
                for piece in pieces(_as_chunk(await _whole(reply, MOST_ANSWER_BYTES))):
                    yield piece

    @asynccontextmanager
    async def _asked(self, request: Mapping[str, Any]) -> AsyncIterator[httpx.Response]:
        """The answer to a request; asked again with fewer options where those are refused."""
        first, *others = known = self._options
        reply = await self._sent(request, first)
        for options in others:
            if reply.status_code != httpx.codes.BAD_REQUEST:
                break
            error = await _error(reply)
            if error.code == "context_length_exceeded" or "stream" not in error.message:
                raise error
            reply = await self._sent(request, options)
            if reply.status_code == httpx.codes.OK:  # it was the options and not the request
                self._options = known[known.index(options) :]
        try:
            if reply.status_code != httpx.codes.OK:
                raise await _error(reply)
            yield reply
        except httpx.HTTPError as error:
            raise BackendError("backend_unavailable", type(error).__name__) from None
        finally:
            await reply.aclose()

    async def _sent(self, request: Mapping[str, Any], options: Mapping[str, Any]) -> httpx.Response:
        body = {**request, "stream": True}
        body.pop("stream_options", None)
        if options:
            body["stream_options"] = options
        built = self._http.build_request("POST", f"{self._base}/chat/completions", json=body)
        try:
            return await self._http.send(built, stream=True)
        except httpx.HTTPError as error:
            failed = type(error).__name__
        raise BackendError("backend_unavailable", failed)


async def _streamed(reply: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    finished = False
    try:
        async for data in data_of(reply.aiter_bytes()):
            if data == b"[DONE]":
                return
            chunk = _parsed(data)
            if chunk.get("error"):
                raise BackendError("backend_unavailable", "the backend broke off with an error")
            finished = finished or _is_last(chunk)
            yield chunk
    except LineTooLong:
        raise BackendError("backend_incomplete", "a line of the backend is too long") from None
    if not finished:
        raise BackendError("backend_incomplete", "the backend's stream broke off")


def _is_last(chunk: Mapping[str, Any]) -> bool:
    return any(choice.get("finish_reason") for choice in choices_of(chunk))


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        chunk = untrusted_json.loads(data)
    except ValueError:
        chunk = None
    if not isinstance(chunk, dict):
        raise BackendError("backend_incomplete", "a line of the backend is no JSON object")
    return chunk


def _as_chunk(body: dict[str, Any]) -> dict[str, Any]:
    """An answer that was not streamed, as the chunk of a stream."""
    choices = [
        {
            "index": choice.get("index", n),
            "delta": choice.get("message") if isinstance(choice.get("message"), dict) else {},
            "finish_reason": choice.get("finish_reason") or "stop",
        }
        for n, choice in enumerate(choices_of(body))
    ]
    if not choices:
        raise BackendError("backend_incomplete", "the backend's answer has no choices")
    return {**body, "object": "chat.completion.chunk", "choices": choices}


def _texts(chunk: Mapping[str, Any]) -> list[tuple[str, str]]:
    deltas = [choice.get("delta") for choice in choices_of(chunk)]
    return [
        ("content", delta["content"])
        for delta in deltas
        if isinstance(delta, dict) and isinstance(delta.get("content"), str)
    ]


async def _whole(reply: httpx.Response, most: int) -> dict[str, Any]:
    body = b""
    async for piece in reply.aiter_bytes():
        body += piece
        if len(body) > most:
            raise BackendError("backend_incomplete", "the backend's answer is too long")
    return _parsed(body)


async def _error(reply: httpx.Response) -> BackendError:
    """Returns what a refusal means; its text may repeat the prompt, so no word of it is
    passed on.
    """
    try:
        body = json.dumps(await _whole(reply, _MOST_ERROR_BYTES)).lower()
    except (BackendError, httpx.HTTPError):
        body = ""
    finally:
        await reply.aclose()
    status = reply.status_code
    if status in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE):
        return BackendOverload("backend_unavailable", f"the backend is busy ({status})")
    if status >= httpx.codes.INTERNAL_SERVER_ERROR or status in _OF_THE_OWNER:
        return BackendError("backend_unavailable", f"the backend answered {status}")
    if "context_length" in body or "maximum context" in body:
        return BackendError("context_length_exceeded", "the prompt is too long for the model")
    about = "stream options" if "stream" in body else "the request"
    return BackendError("backend_refused", f"the backend refused {about} ({status})")


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
