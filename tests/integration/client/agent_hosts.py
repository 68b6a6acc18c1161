"""A host of agents that has the tools in this process, over the application in this process."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx
from citegrid import AsyncClient
from citegrid.mcp.connection import as_oneself
from citegrid.mcp.server import build
from citegrid.transport.exchange import Policy
from flask import Flask
from mcp import Client, MCPError
from mcp.types import CallToolResult

from tests.integration.client.conftest import IN_PROCESS, InThread, Recorder

RESTLESS = Policy(deadline_seconds=90.0, retries=2, first_pause_seconds=0.0)

Note = tuple[float, str]


@dataclass
class Told:
    """What a host hears of one call."""

    result: CallToolResult
    notes: list[Note] = field(default_factory=list)

    @property
    def text(self) -> str:
        (block,) = self.result.content
        text: str = block.text
        return text

    @property
    def found(self) -> Any:
        """The structure of a success."""
        assert not self.result.is_error, self.text
        assert json.loads(self.text) == self.result.structured_content
        return self.result.structured_content

    @property
    def refused(self) -> str:
        """The text of an error."""
        assert self.result.is_error
        assert self.result.structured_content is None
        return self.text


@dataclass
class Host:
    """`host("service_get_search", search_id=...)`; `mode` is the era of the protocol."""

    transport: httpx.AsyncBaseTransport
    key: str | None
    mode: str = "auto"

    def __call__(
        self, tool: str, *, noted: Callable[[str], Any] | None = None, **arguments: Any
    ) -> Told:
        """The outcome of one call; `noted` is called in a thread with every note."""
        notes: list[Note] = []

        async def note(value: float, _total: float | None, message: str | None) -> None:
            notes.append((value, message or ""))
            if noted is not None:
                await anyio.to_thread.run_sync(noted, message or "")

        async def call(client: Client) -> CallToolResult:
            result = await client.call_tool(tool, arguments, progress_callback=note)
            assert isinstance(result, CallToolResult)
            return result

        return Told(self.use(call), notes)

    def use(self, using: Callable[[Client], Awaitable[Any]]) -> Any:
        """What `using` returns, given a client of the protocol."""
        return anyio.run(self._use, using)

    def read(self, uri: str) -> tuple[str, str]:
        """The type and the text of a resource. Raises MCPError."""

        async def read(client: Client) -> tuple[str, str] | MCPError:
            try:
                (content,) = (await client.read_resource(uri)).contents
            except MCPError as error:
                return error  # task groups would wrap it
            return content.mime_type, content.text

        found: tuple[str, str] | MCPError = self.use(read)
        if isinstance(found, MCPError):
            raise found
        return found

    async def _use(self, using: Callable[[Client], Awaitable[Any]]) -> Any:
        asking = AsyncClient(IN_PROCESS, self.key, policy=RESTLESS, transport=self.transport)
        async with asking, Client(build(as_oneself(asking)), mode=self.mode) as client:
            return await using(client)


def host_of(app: Flask, key: str | None, mode: str = "auto") -> Host:
    return Host(InThread(Recorder(app)), key, mode)
