"""Answers as they came: status, headers and bytes, beside the value that was read from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from citegrid.errors import CitegridError
from citegrid.transport.async_runner import AsyncRunner
from citegrid.transport.exchange import Reply, Steps
from citegrid.transport.sync_runner import SyncRunner

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RawResponse(Generic[T]):
    """The server's response, and `value`, the usual result of the method.

    Header names are in lower case. `content` is empty if the response was written to a file. A
    method that sends several requests returns the last response.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    request_id: str | None
    value: T


class RawSyncRunner:
    """Runs steps and returns what they return together with the answer it was read from."""

    def __init__(self, runner: SyncRunner) -> None:
        self._runner = runner

    def run(self, steps: Steps[T]) -> RawResponse[T]:
        return self._runner.run(_with_reply(steps))


class RawAsyncRunner:
    def __init__(self, runner: AsyncRunner) -> None:
        self._runner = runner

    async def run(self, steps: Steps[T]) -> RawResponse[T]:
        return await self._runner.run(_with_reply(steps))


def _with_reply(steps: Steps[T]) -> Steps[RawResponse[T]]:
    """The same steps; the answer that came last is returned with their value."""
    last = Reply(0, {}, b"")
    try:
        effect = next(steps)
        while True:
            try:
                outcome = yield effect
            except CitegridError as error:
                effect = steps.throw(error)
            else:
                last = outcome if isinstance(outcome, Reply) else last
                effect = steps.send(outcome)
    except StopIteration as ended:
        return RawResponse(last.status, last.headers, last.content, last.request_id, ended.value)
    finally:
        steps.close()
