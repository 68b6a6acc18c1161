"""A TCP proxy that breaks: `python -m tests.fault.full.proxy PORT=TARGET ...`, modes by stdin.

TARGET is a path of a Unix socket or `host:port`. Modes, one a line:

- pass: as if it were not there. What stalled goes on.
- cut: all connections are reset, new ones too.
- stall: connections stay and accept data, and nothing gets through.
- half: the servers see the connections end, the clients never hear of it. New connections stall.

Each change is answered by a line: how many connections there were when it broke; after `pass`, how
many were tried in vain since.
"""

import asyncio
import sys
from contextlib import suppress

_CHUNK = 65536


class Proxy:
    """All connections to all targets, and the mode they are in."""

    def __init__(self) -> None:
        self._passing = asyncio.Event()
        self._passing.set()
        self._refusing = False
        self._in_vain = 0
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._halves: list[asyncio.StreamWriter] = []

    async def serve(self, port: int, target: str) -> None:
        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                await self._connection(reader, writer, target)

        await asyncio.start_server(accepted, "127.0.0.1", port)

    def change(self, mode: str) -> int:
        counted = self._in_vain if mode == "pass" else len(self._pairs)
        self._in_vain = 0
        self._change(mode)
        return counted

    def _change(self, mode: str) -> None:
        self._refusing = mode == "cut"
        if mode == "pass":
            self._passing.set()
        elif mode != "cut":
            self._passing.clear()
        if mode == "cut":
            self._end(both=True)
        if mode == "half":
            self._end(both=False)

    def _end(self, *, both: bool) -> None:
        for client, server in self._pairs:
            server.transport.abort()
            if both:
                client.transport.abort()
            else:
                self._halves.append(client)
        self._pairs.clear()

    async def _connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: str
    ) -> None:
        self._in_vain += self._refusing or not self._passing.is_set()
        if self._refusing:
            writer.transport.abort()
            return
        await self._passing.wait()
        from_server, to_server = await _connect(target)
        pair = (writer, to_server)
        self._pairs.add(pair)
        await asyncio.gather(
            self._copy(reader, to_server, pair), self._copy(from_server, writer, pair)
        )

    async def _copy(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        pair: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
    ) -> None:
        try:
            while data := await source.read(_CHUNK):
                await self._passing.wait()
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        if pair in self._pairs:  # else its clients are to see nothing, or both ends were cut
            self._pairs.discard(pair)
            for writer in pair:
                writer.close()


async def _connect(target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if target.startswith("/"):
        return await asyncio.open_unix_connection(target)
    host, _, port = target.rpartition(":")
    return await asyncio.open_connection(host, int(port))


async def _main(routes: list[str]) -> None:
    proxy = Proxy()
    for route in routes:
        port, _, target = route.partition("=")
        await proxy.serve(int(port), target)
    modes = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(modes), sys.stdin)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while line := await modes.readline():
        sys.stdout.write(f"{proxy.change(line.decode().strip())}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1:]))
