"""Calls of tools, with a service that answers as a test says."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from functools import cache
from typing import Any

import anyio
import httpx
from conftest import AT_ONCE, BASE_URL
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult

from citegrid import AsyncClient
from citegrid.mcp.connection import as_oneself
from citegrid.mcp.server import build
from citegrid.mcp.shapes import Call
from citegrid.mcp.tools.results import MOST_CHARACTERS

Handler = Callable[[httpx.Request], httpx.Response] | httpx.AsyncBaseTransport
KEY = "cgk_secret"
QUESTION = {"query": "How many eggs?"}
_asking: ContextVar[AsyncClient] = ContextVar("asking")


@cache
def server() -> MCPServer[None]:
    """One for all calls, which have a client each: making its schemas takes longer than a call."""

    def connect(call: Call) -> AbstractAsyncContextManager[AsyncClient]:
        return as_oneself(_asking.get())(call)

    return build(connect)


def call(handler: Handler, tool: str, **arguments: Any) -> CallToolResult:
    """The outcome of one call, with a service that answers as `handler` does."""

    async def main() -> Any:
        given = isinstance(handler, httpx.AsyncBaseTransport)
        transport = handler if given else httpx.MockTransport(handler)
        asking = AsyncClient(BASE_URL, KEY, policy=AT_ONCE, transport=transport)
        _asking.set(asking)
        async with asking, Client(server()) as client:
            return await client.call_tool(tool, arguments)

    result = anyio.run(main)
    assert isinstance(result, CallToolResult)
    return result


def refused(handler: Handler, tool: str, **arguments: Any) -> str:
    """The text of an error, which comes without a structure."""
    result = call(handler, tool, **arguments)
    assert result.is_error
    assert result.structured_content is None
    (block,) = result.content
    text: str = block.text
    return text


def found(handler: Handler, tool: str, **arguments: Any) -> Any:
    """The structure of a success, which the text repeats."""
    result = call(handler, tool, **arguments)
    assert not result.is_error, result.content
    (block,) = result.content
    assert json.loads(block.text) == result.structured_content
    assert len(block.text) <= MOST_CHARACTERS
    return result.structured_content


def unasked(_request: httpx.Request) -> httpx.Response:
    raise AssertionError("The service was asked.")


def always(status: int, body: Any) -> Handler:
    return lambda _request: httpx.Response(status, json=body)
