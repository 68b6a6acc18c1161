"""The tools over streamable HTTP: every caller brings a key, this process has none."""

from collections.abc import Sequence
from typing import Final

import httpx
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from citegrid.mcp.connection import as_the_caller, bearer_key
from citegrid.mcp.server import build
from citegrid.mcp.tools.corpora import MOST_TEXT

PATH: Final = "/mcp"
MOST_BODY_BYTES: Final = 12 * MOST_TEXT + 65_536
"""The longest document, each character of which JSON may escape as two of UTF-16."""
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
NO_KEY: Final = {
    "error": {
        "code": "unauthorized",
        "message": "Send an API key of the service: Authorization: Bearer <key>.",
    }
}


def application(
    base_url: str,
    allowed_hosts: Sequence[str] = (),
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    allow_insecure: bool = False,
) -> ASGIApp:
    """The ASGI application. `allowed_hosts` are the names it is reached by besides localhost."""
    shared = transport or httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=None))
    server = build(as_the_caller(base_url, shared, allow_insecure=allow_insecure))
    return KeyMiddleware(transported(server, allowed_hosts))


def transported(server: MCPServer[None], allowed_hosts: Sequence[str] = ()) -> ASGIApp:
    """The server over HTTP, for whoever is let in to it."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        # Without sessions any number of processes can stand behind one proxy.
        stateless_http=True,
        max_request_body_size=MOST_BODY_BYTES,
        transport_security=_security(allowed_hosts),
    )


def _security(allowed_hosts: Sequence[str]) -> TransportSecuritySettings:
    """Against DNS rebinding; any port, since a proxy may listen on another one."""
    names = [*LOOPBACK, *allowed_hosts]
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    return TransportSecuritySettings(
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[form for origin in origins for form in (origin, f"{origin}:*")],
    )


class KeyMiddleware:
    """Answers 401 to whoever brings no key, and opens no stream on which nothing would be sent."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and bearer_key(Headers(scope=scope)) is None:
            refusal = JSONResponse(NO_KEY, 401, headers={"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
        else:
            await self._inner(scope, receive, send)
