"""A minimal node: claims chats, asks the backend, passes its chunks on in batches.

python -m bench.chat.node BASE_URL NODE_ID NODE_TOKEN BACKEND_URL
"""

import asyncio
import json
import sys
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp

PAUSE_SECONDS = 0.04  # between two batches of one chat
HEARTBEAT_SECONDS = 15.0


@dataclass
class Node:
    base: str
    id: str
    token: str
    backend: str
    http: aiohttp.ClientSession
    at_work: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self) -> None:
        beating = asyncio.create_task(self._beat())
        with suppress(asyncio.CancelledError):
            await asyncio.gather(beating, self._claim(), self._claim())

    async def _beat(self) -> None:
        while True:
            body = {"in_flight": len(self.at_work), "serving": ["m"]}
            await self._post(f"/v1/nodes/{self.id}/heartbeat", body)
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _claim(self) -> None:
        while True:
            body = {"key": uuid.uuid4().hex, "kinds": ["chats.completion"], "most": 8}
            claimed = await self._post(f"/v1/nodes/{self.id}/work/claim?wait=25", body)
            for item in (claimed or {}).get("work", ()):
                task = asyncio.create_task(self._answer(item))
                self.at_work.add(task)
                task.add_done_callback(self.at_work.discard)

    async def _answer(self, item: dict[str, Any]) -> None:
        batches = Batches(self, item)
        request = {**item["input"]["request"], "stream": True}
        async with self.http.post(self.backend + "/v1/chat/completions", json=request) as answer:
            async for line in answer.content:
                if line.startswith(b"data: {"):
                    await batches.add(json.loads(line[6:]))
        await batches.end()

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        async with self.http.post(self.base + path, json=body, headers=headers) as answer:
            return await answer.json() if answer.status == 200 else None


class Batches:
    """The first chunk at once, then what has come since."""

    def __init__(self, node: Node, item: dict[str, Any]) -> None:
        self._node, self._item, self._seq = node, item, 0
        self._waiting: list[Any] = []
        self._sending: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    async def add(self, chunk: Any) -> None:
        self._waiting.append(chunk)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send(done=False))

    async def end(self) -> None:
        self._ended.set()
        if self._sending is not None:
            await self._sending
        await self._send(done=True)

    async def _send(self, *, done: bool) -> None:
        data, self._waiting = self._waiting, []
        body = {"fence": self._item["fence"], "seq": self._seq, "data": data, "done": done}
        self._seq += 1
        await self._node._post(f"/v1/work/{self._item['id']}/chunks", body)
        if not done:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), PAUSE_SECONDS)


async def main() -> None:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http:
        base, id, token, backend = sys.argv[1:]
        await Node(base, id, token, backend, http).run()


if __name__ == "__main__":
    asyncio.run(main())
