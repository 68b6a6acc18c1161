"""Clients that stream chats, and when their first tokens came."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import aiohttp


@dataclass
class Times:
    """Milliseconds of each chat: to the first token, to the end."""

    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)


def chats(base: str, headers: Mapping[str, str], clients: int, each: int) -> Times:
    """So many clients at once, each with so many chats one after the other."""
    return asyncio.run(_chats(base, headers, clients, each))


async def _chats(base: str, headers: Mapping[str, str], clients: int, each: int) -> Times:
    times = Times()
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, headers=dict(headers)) as http:
        await asyncio.gather(*(_one(http, base, each, times) for _ in range(clients)))
    return times


async def _one(http: aiohttp.ClientSession, base: str, each: int, times: Times) -> None:
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    for _ in range(each):
        began, first = time.perf_counter(), None
        async with http.post(base + "/v1/chat/completions", json=body) as answer:
            async for line in answer.content:
                if first is None and b"w0" in line:
                    first = time.perf_counter()
            last = line
        if first is None:
            raise RuntimeError(f"no token came: {last!r}")
        times.first.append((first - began) * 1000)
        times.whole.append((time.perf_counter() - began) * 1000)
