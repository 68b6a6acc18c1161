"""As whom the service is asked: as this process's own user, or as whoever calls over HTTP."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, NoReturn

import httpx

from citegrid.client import AsyncClient
from citegrid.mcp.forwarded_for import ForwardedTransport, forwarded_for
from citegrid.mcp.refusals import NotConfigured
from citegrid.mcp.shapes import Call
from citegrid.profiles.credentials import VISIBLE
from citegrid.transport.exchange import Policy

POLICY: Final = Policy(
    deadline_seconds=10.0,
    connect_seconds=5.0,
    read_seconds=8.0,
    retries=2,
    first_pause_seconds=0.5,
    most_pause_seconds=1.0,
)
"""With the longest wait on top, a call ends before hosts give up on it (60 s)."""

Connect = Callable[[Call], AbstractAsyncContextManager[AsyncClient]]
"""The client for one call. Raises NotConfigured."""


def as_oneself(client: AsyncClient) -> Connect:
    @asynccontextmanager
    async def connect(_call: Call) -> AsyncIterator[AsyncClient]:
        yield client

    return connect


def as_nobody(problem: str) -> Connect:
    """No call at all: the host then shows `problem`, and not only that the connection closed."""

    def connect(_call: Call) -> NoReturn:
        raise NotConfigured(problem)

    return connect


def as_the_caller(
    base_url: str, transport: httpx.AsyncBaseTransport, *, allow_insecure: bool = False
) -> Connect:
    """Each call with the key it brings, and with none of our own."""

    @asynccontextmanager
    async def connect(call: Call) -> AsyncIterator[AsyncClient]:
        request = call.request_context.request
        if request is None or (key := bearer_key(request.headers)) is None:
            raise NotConfigured("The call brought no API key.")
        address = forwarded_for(request)
        asking = transport if address is None else ForwardedTransport(transport, address)
        # Not closed after the call: its only resource is the transport, which all calls share.
        yield AsyncClient(
            base_url, key, policy=POLICY, transport=asking, allow_insecure=allow_insecure
        )

    return connect


def bearer_key(headers: Mapping[str, str]) -> str | None:
    """The key of `Authorization: Bearer <key>` (RFC 6750); None unless it can be one."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    key = key.strip()
    return key if scheme.lower() == "bearer" and VISIBLE.fullmatch(key) else None
