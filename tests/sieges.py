"""Clients that mean harm by being slow, and one in earnest beside them."""

import asyncio
import socket
from contextlib import suppress
from dataclasses import dataclass

PATIENCE_SECONDS = 3.0
PROBES = 20
HALF_HEAD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "
HALF_BODY = b"POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"
LARGE = b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
CLOSING = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Attack:
    """What each attacker sends at first, and what it does or does not do then."""

    first: bytes
    attackers: int = 64
    drips: bool = False
    reads: bool = True
    closes: bool = True


ATTACKS = {
    "silence": Attack(b""),
    "half a head": Attack(HALF_HEAD),
    "half a body": Attack(HALF_BODY),
    "a head that drips": Attack(HALF_HEAD, drips=True),
    "a body that drips": Attack(HALF_BODY, drips=True),
    "a large answer never read": Attack(LARGE, reads=False),
    "a connection never closed": Attack(CLOSING, closes=False),
    "half a head, by many": Attack(HALF_HEAD, attackers=1000),
}


def besiege(port: int, attack: Attack, patience_seconds: float = PATIENCE_SECONDS) -> int:
    """How many of PROBES requests were answered in time while the attackers held on."""
    return asyncio.run(_besiege(port, attack, patience_seconds))


async def _besiege(port: int, attack: Attack, patience_seconds: float) -> int:
    connected = asyncio.Semaphore(0)
    attackers = [
        asyncio.create_task(_attacker(port, attack, connected)) for _ in range(attack.attackers)
    ]
    for _ in attackers:
        await connected.acquire()
    probes = []
    for _ in range(PROBES):
        probes.append(asyncio.create_task(_is_answered(port, patience_seconds)))
        await asyncio.sleep(0.1)
    answered = await asyncio.gather(*probes)
    for attacker in attackers:
        attacker.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)
    return sum(answered)


async def _attacker(port: int, attack: Attack, connected: asyncio.Semaphore) -> None:
    """Comes back whenever it is dropped."""
    while True:
        with socket.socket() as client, suppress(OSError):
            await _hold(client, port, attack, connected)
        await asyncio.sleep(0.05)


async def _hold(
    client: socket.socket, port: int, attack: Attack, connected: asyncio.Semaphore
) -> None:
    loop = asyncio.get_running_loop()
    client.setblocking(False)
    if not attack.reads:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    await loop.sock_connect(client, ("127.0.0.1", port))
    await loop.sock_sendall(client, attack.first)
    connected.release()
    while attack.drips:
        await asyncio.sleep(0.5)
        await loop.sock_sendall(client, b"1")
    while attack.reads and await loop.sock_recv(client, 4096):
        pass
    if not (attack.reads and attack.closes):
        await asyncio.sleep(60)


async def _is_answered(port: int, patience_seconds: float) -> bool:
    try:
        async with asyncio.timeout(patience_seconds):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(CLOSING)
                return b" 200 " in await reader.read()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
