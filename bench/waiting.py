"""What claims that wait cost, and who suffers: 500 idle claims and 50 streams on two processes.

The processes for waiting (deploy/gunicorn.waiting.py) serve claims of 500 nodes of 100 accounts,
and then streams of 20 chunks a second as well, a stand-in for chats. Printed: memory and processor
time of the processes, how late chunks are, the time of `/healthz`, and that from an offer to the
answer of a claim.
"""

import asyncio
import contextlib
import json
import socket
import time
from statistics import median
from typing import Any, Final

import psutil

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import wakeups
from bench import figures
from bench.figures import Aim
from bench.machine import BIN, Machine, machine
from bench.waiting_app import CHUNKS, GAP_SECONDS
from tests import builders, node_work

NODES_AN_ACCOUNT: Final = 5
PROBE_SECONDS: Final = 0.02


def main() -> None:
    options = figures.arguments(__doc__, rounds=1)
    polls, streams, seconds = (40, 5, 2.0) if options.quick else (500, 50, 15.0)
    with machine(options.folder) as running:
        url = running.database("waiting")
        settings = Settings(database_url=url, redis_url=running.redis.url(), secret_key="x" * 32)
        db.open(url, size=4)
        wakeups.connect_notifier(settings.redis_url)
        polling = _prepare(settings, polls)
        port = _serve(running, settings)
        asyncio.run(Measured(running, port, polling).measure(streams, seconds))
        db.close()


def _prepare(settings: Settings, polls: int) -> list[tuple[str, str]]:
    """Public ids and tokens of nodes, five an account."""
    made = []
    nodes.JUDGED.connect(lambda *_: nodes.ENOUGH_JUDGED)
    with db.transaction() as tx:
        for number in range(polls):
            if number % NODES_AN_ACCOUNT == 0:
                account_id = builders.account(tx, f"{number}@example.org")
            id, token = node_work.node(tx, settings, account_id, capacity=1, work=["extraction"])
            made.append((ids.public(Noun.NODE, id), token))
    return made


def _serve(running: Machine, settings: Settings) -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    running.start(
        BIN / "gunicorn", "-c", "deploy/gunicorn.waiting.py", "-b", f"127.0.0.1:{port}",
        "bench.waiting_app:serve()",
        DATABASE_URL=settings.database_url, REDIS_URL=settings.redis_url,
        SECRET_KEY=settings.secret_key, RATE_LIMIT_ANONYMOUS="100000/second",
        EMBEDDINGS_PACKAGED="false", LOG_LEVEL="WARNING",
    )  # fmt: skip
    return port


class Measured:
    """The processes for waiting, and what is asked of them."""

    def __init__(self, running: Machine, port: int, polling: list[tuple[str, str]]) -> None:
        self._running, self._port, self._polling = running, port, polling
        self._answered, self._answered_at = asyncio.Event(), 0.0
        with db.transaction() as tx:
            self._payer = builders.account(tx, "payer@example.org")

    async def measure(self, streams: int, seconds: float) -> None:
        await self._until_answering()
        empty = self._memory()
        polls = [asyncio.create_task(self._poll(*each)) for each in self._polling]
        await self._until_waiting()
        await asyncio.sleep(min(10.0, seconds))  # those that were sent away have come again
        idle_memory, idle_cpu, idle_health = self._memory(), *(await self._probed(seconds))
        chats = [asyncio.create_task(self._stream()) for _ in range(streams)]
        busy_cpu, busy_health = await self._probed(min(seconds, CHUNKS * GAP_SECONDS * 0.8))
        late = [each for chat in await asyncio.gather(*chats) for each in chat]
        woken = [await self._woken(polls) for _ in range(min(20, len(polls) // 2))]
        for poll in polls:
            poll.cancel()
        self._report(empty, idle_memory, idle_cpu, idle_health, busy_cpu, busy_health, late, woken)

    async def _request(
        self, method: str, path: str, token: str = "", body: bytes = b""
    ) -> tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close"]
        lines += [f"Authorization: Bearer {token}"] * bool(token)
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        return await reader.readuntil(b"\r\n\r\n"), reader, writer

    async def _poll(self, node_id: str, token: str) -> None:
        """Claims, one after the other."""
        number = 0
        while True:
            number += 1
            body = json.dumps({"key": str(number), "kinds": [node_work.EXTRACTION.name]}).encode()
            path = f"/v1/nodes/{node_id}/work/claim?wait=25"
            head, reader, writer = await self._request("POST", path, token, body)
            text = await reader.read()
            writer.close()
            if b"\r\nRetry-After: 0" not in head and head[9:12] in (b"204", b"503"):
                await asyncio.sleep(5)  # this process lets no more wait
            elif head.startswith(b"HTTP/1.1 200"):
                self._answered_at = time.perf_counter()
                self._answered.set()
                await self._end(json.loads(text)["work"][0], token)
            elif not head.startswith(b"HTTP/1.1 204"):
                raise RuntimeError(head[:200])

    async def _end(self, item: dict[str, Any], token: str) -> None:
        body = json.dumps({"fence": item["fence"], "output": {}}).encode()
        _, reader, writer = await self._request(
            "POST", f"/v1/work/{item['id']}/result", token, body
        )
        await reader.read()
        writer.close()

    async def _woken(self, polls: list[asyncio.Task[None]]) -> float:
        """Milliseconds from an offer to the answer of a claim."""
        for poll in polls:
            if poll.done():
                poll.result()
        self._answered = asyncio.Event()
        began = time.perf_counter()
        with db.transaction() as tx:
            node_work.offered(tx, self._payer)
        await asyncio.wait_for(self._answered.wait(), 20)
        await asyncio.sleep(0.05)
        return (self._answered_at - began) * 1e3

    async def _stream(self) -> list[float]:
        """How late each chunk came, in milliseconds."""
        late = []
        _, reader, writer = await self._request("GET", "/bench/stream")
        async for line in reader:
            if line.startswith(b"data: "):
                late.append((time.time() - float(line[6:])) * 1e3)
        writer.close()
        return late

    async def _probed(self, seconds: float) -> tuple[float, list[float]]:
        """The share of a core that the processes took, and milliseconds of `/healthz`."""
        before, began, taken = self._processor_seconds(), time.perf_counter(), []
        while time.perf_counter() - began < seconds:
            asked = time.perf_counter()
            _, reader, writer = await self._request("GET", "/healthz")
            await reader.read()
            writer.close()
            taken.append((time.perf_counter() - asked) * 1e3)
            await asyncio.sleep(PROBE_SECONDS)
        spent = self._processor_seconds() - before
        return spent / (time.perf_counter() - began), taken

    async def _until_answering(self) -> None:
        for _ in range(600):
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self._request("GET", "/healthz")
                return
            await asyncio.sleep(0.1)
        raise self._running.complain("no answer")

    async def _until_waiting(self) -> None:
        """All claims have been begun: every node was heard of."""
        for _ in range(600):
            with db.reading() as reader:
                heard = db.value(reader, "select count(*) from nodes where seen_at is not null")
            if heard >= len(self._polling):
                return
            await asyncio.sleep(0.1)
        raise self._running.complain("not all wait")

    def _workers(self) -> list[psutil.Process]:
        return [
            child
            for child in psutil.Process().children(recursive=True)
            if any("gunicorn" in word for word in child.cmdline())
        ]

    def _memory(self) -> float:
        return float(sum(each.memory_full_info().uss for each in self._workers())) / 1e6

    def _processor_seconds(self) -> float:
        return sum(sum(each.cpu_times()[:2]) for each in self._workers())

    def _report(
        self,
        empty: float,
        memory: float,
        idle_cpu: float,
        idle_health: list[float],
        busy_cpu: float,
        busy_health: list[float],
        late: list[float],
        woken: list[float],
    ) -> None:
        rows = [
            (f"/healthz, {len(self._polling)} claims wait", *_spread(idle_health)),
            ("/healthz, and the streams", *_spread(busy_health)),
            ("a chunk is late by", *_spread(late)),
            ("from an offer to the answer of a claim", *_spread(woken)),
        ]
        figures.table(("milliseconds", "p50", "p99"), rows)
        a_waiter = (memory - empty) / len(self._polling) * 1e3
        print(f"memory: {empty:.0f} MB empty, {memory:.0f} MB with claims: {a_waiter:.0f} kB each")
        print(f"share of a core: {idle_cpu:.1%} while claims wait, {busy_cpu:.1%} with streams")
        figures.conclude(
            "waiting",
            [Aim("p99 of /healthz, ms", figures.percentile(busy_health, 0.99), "<=", 50.0)],
            kilobytes_a_waiter=a_waiter,
            idle_share=idle_cpu,
            busy_share=busy_cpu,
            healthz_ms=busy_health,
            late_ms=late,
            woken_ms=woken,
        )


def _spread(values: list[float]) -> tuple[float, float]:
    return median(values), figures.percentile(values, 0.99)


if __name__ == "__main__":
    main()
