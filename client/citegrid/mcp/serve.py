"""Running the tools' server as a process, over stdio or HTTP."""

import os
import signal
from collections.abc import Sequence
from typing import Final, NoReturn

import anyio
import uvicorn

from citegrid.client import AsyncClient
from citegrid.errors import CitegridError
from citegrid.mcp import logs
from citegrid.mcp.connection import POLICY, Connect, as_nobody, as_oneself
from citegrid.mcp.http import application
from citegrid.mcp.refusals import NotConfigured, explained
from citegrid.mcp.server import build
from citegrid.profiles import settings
from citegrid.profiles.credentials import Credentials

GRACE_SECONDS: Final = 3


def client(base_url: str, credentials: Credentials, allow_insecure: bool) -> AsyncClient:
    """Asks within the time that hosts allow. Raises InvalidBaseUrl."""
    return AsyncClient(
        base_url, credentials=credentials, policy=POLICY, allow_insecure=allow_insecure
    )


def serve_stdio(
    client: AsyncClient | None, problem: str, log_level: str, held: Credentials
) -> None:
    """Until stdin ends. Without a client, every call is answered with `problem`."""
    logs.configure(log_level, (held.api_key, held.access_token, held.refresh_token))
    # Python's own handler only sets a flag, which nobody looks at while stdin is read.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(_until_stdin_ends, as_nobody(problem) if client is None else as_oneself(client))


async def _until_stdin_ends(connect: Connect) -> NoReturn:
    try:
        await build(connect).run_stdio_async()
    except* BrokenPipeError:  # the host has gone, and nobody reads what it asked
        pass
    # All answers are written. A thread that still asks for the address of a host, for a call that
    # was cancelled, cannot be stopped, and would hold the process until the resolver gives up.
    os._exit(0)


def serve_http(
    base_url: str,
    host: str,
    port: int,
    allowed_hosts: Sequence[str],
    log_level: str,
    *,
    allow_insecure: bool = False,
) -> None:
    """Until it is ended by SIGTERM or SIGINT. A socket of systemd's wins over `host` and `port`."""
    logs.configure(log_level, ())
    uvicorn.run(
        application(base_url, allowed_hosts, allow_insecure=allow_insecure),
        host=host,
        port=port,
        log_config=None,
        proxy_headers=False,  # whom a proxy calls for is passed on, not believed
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        fd=settings.socket_of_systemd(),
    )


def checked(client: AsyncClient | None, problem: str) -> str:
    """The reason why nothing can be asked, in the words of the tools; "" for none."""
    if client is None:
        return explained(NotConfigured(problem))
    try:
        anyio.run(_listed, client)
    except CitegridError as error:
        return explained(error)
    return ""


async def _listed(client: AsyncClient) -> None:
    async with client:
        await client.searches.list(limit=1)
