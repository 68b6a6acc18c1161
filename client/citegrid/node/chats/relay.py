"""Chats: the backend is asked, its chunks are passed on in batches, until it ends or we must."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from citegrid.calls import UNSET
from citegrid.errors import CitegridError
from citegrid.node.chats.backend import Backend, BackendError, BackendOverload
from citegrid.node.chats.batches import Batches
from citegrid.node.node_client import NodeClient
from citegrid.node.runner import WorkRefusal
from citegrid.nouns.providers.work import WorkItem

_LONGEST_MESSAGE: Final = 300
_MOST_AHEAD: Final = 256

Event = dict[str, Any] | BackendError | None
"""A chunk; or how the answer ended: with a failure, or None for well."""


class ChatRelay:
    """Passes chats on to a backend. Prompts and answers are neither kept nor logged."""

    def __init__(self, backend: Backend, client: NodeClient) -> None:
        self._backend, self._client = backend, client

    async def serving(self) -> Sequence[str]:
        return await self._backend.serving()

    async def answer(self, item: WorkItem) -> str:
        """Raises WorkRefusal while nothing has been sent, and what the server answers."""
        request = item.input.get("request")
        if not isinstance(request, Mapping) or request.get("model") not in self._backend.models:
            raise WorkRefusal("cannot")
        batches = Batches(self._poster(item))
        ended: Event | CitegridError = None
        send, receive = anyio.create_memory_object_stream[Event](_MOST_AHEAD)
        with send, receive:
            async with anyio.create_task_group() as group:
                group.start_soon(self._listen, request, send)
                try:
                    ended = await _pass_on(receive, batches)
                except CitegridError as error:  # as it is, not in a group
                    ended = error
                group.cancel_scope.cancel()  # of a chat that stopped, the backend's request too
        if isinstance(ended, CitegridError):
            raise ended
        return await _end(batches, ended)

    async def _listen(
        self, request: Mapping[str, Any], send: MemoryObjectSendStream[Event]
    ) -> None:
        ended: Event = None
        try:
            async for chunk in self._backend.chunks(request):
                await send.send(chunk)
        except BackendError as error:
            ended = error
        await send.send(ended)

    def _poster(self, item: WorkItem) -> Any:
        async def post(
            seq: int,
            data: list[Mapping[str, Any]],
            done: bool,
            usage: Mapping[str, int] | None,
            error: Mapping[str, str] | None,
        ) -> bool:
            taken = await self._client.work.push_chunks(
                item.id,
                item.fence,
                seq,
                data,
                done,
                usage=usage or UNSET,
                error=error or UNSET,
            )
            return taken.stop

        return post


async def _pass_on(receive: MemoryObjectReceiveStream[Event], batches: Batches) -> Event:
    """Until the backend ends, or the server says stop."""
    while not batches.stopped:
        event: Event | str = "silence"
        with anyio.move_on_after(batches.patience()):
            event = await receive.receive()
        if isinstance(event, dict):
            await batches.add(event)
        if event is None or isinstance(event, BackendError):
            return event
        if event == "silence" or batches.patience() == 0.0:
            await batches.send()
    return None


async def _end(batches: Batches, ended: Event) -> str:
    if isinstance(ended, BackendOverload) and batches.seq == 0:
        raise WorkRefusal("overloaded")
    if isinstance(ended, BackendError):
        error = {"code": ended.code, "message": ended.message[:_LONGEST_MESSAGE]}
        await batches.send(done=True, error=error)
        return f"{ended.code} after {batches.seq} batches"
    await batches.send(done=True)
    tokens = (batches.usage or {}).get("completion_tokens")
    stopped = "stopped" if batches.stopped else "answered"
    return f"{stopped}, {batches.seq} batches, {'?' if tokens is None else tokens} tokens"
