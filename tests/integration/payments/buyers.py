"""Buyers of searches: this server, asked by the client library, and answers that get lost."""

import asyncio
from typing import Any

import pytest
from flask import Flask

from tests.chains.node import PAYER, Chain

httpx = pytest.importorskip("httpx")
paid = pytest.importorskip("citegrid.paid", reason="the client is not installed with its extra")

SERVER = "https://search.example.org"
KEY = "0x" + bytes(PAYER.key).hex()


class Wire(httpx.BaseTransport):  # type: ignore[misc, name-defined]
    """Leads to the application, and to RPCs over loopback; `lose` drops answers to payments."""

    def __init__(self, app: Flask) -> None:
        self.app, self.lose, self.paid = httpx.WSGITransport(app=app), False, 0
        self.rpc = httpx.HTTPTransport()

    def handle_request(self, request: Any) -> Any:
        if request.url.host != "search.example.org":
            return self.rpc.handle_request(request)
        answer = self.app.handle_request(request)
        if "payment-signature" in request.headers:
            self.paid += 1
            if self.lose:
                raise httpx.ReadError("the connection is gone")
        return answer


class AsyncWire(httpx.AsyncBaseTransport):  # type: ignore[misc, name-defined]
    """The same for the client that is awaited."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    async def handle_async_request(self, request: Any) -> Any:
        await request.aread()
        answer = await asyncio.to_thread(self.wire.handle_request, request)
        content = await asyncio.to_thread(lambda: b"".join(answer.stream))
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


def handler_of(chain: Chain, key: str = KEY, **options: Any) -> Any:
    said = {"assets": {chain.network: chain.token.address}, **options}
    return paid.PaymentHandler(key, {chain.network: chain.url}, **said)


def client(wire: Wire, handler: Any = None, **options: Any) -> Any:
    return paid.PaidClient(SERVER, handler, transport=wire, **options)
