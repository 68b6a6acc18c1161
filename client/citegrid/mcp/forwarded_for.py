"""On whose behalf the service is asked: the address of a caller over HTTP goes with each request.

What the service grants to its own machine only, such as a demonstration key, it must not grant to
callers of ours from elsewhere because we run on that machine.
"""

import ipaddress

import httpx
from starlette.requests import Request

UNKNOWN = "unknown"
"""A caller without an address, in the words of RFC 7239, section 6.2."""


class ForwardedTransport(httpx.AsyncBaseTransport):
    """Sends through `inner`, which others use as well, and names the caller."""

    def __init__(self, inner: httpx.AsyncBaseTransport, forwarded_for: str) -> None:
        self._inner, self._forwarded_for = inner, forwarded_for

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["X-Forwarded-For"] = self._forwarded_for
        return await self._inner.handle_async_request(request)


def forwarded_for(request: Request) -> str | None:
    """The value of `X-Forwarded-For`; None when this machine itself calls, with no proxy between.

    `Host` is one of this machine's: the other way for a proxy to show.
    """
    peer = request.client.host if request.client else UNKNOWN
    if before := request.headers.getlist("x-forwarded-for"):  # some proxies add a line of their own
        return ", ".join([*before, peer])
    shown = any(name in request.headers for name in ("forwarded", "via", "x-real-ip"))
    here = _is_loopback(peer) and _is_loopback(request.url.hostname or "")
    return None if here and not shown else peer


def _is_loopback(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
