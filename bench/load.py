"""A load generator that is not the bottleneck: one thread, many kept connections, one request."""

import selectors
import socket
import time
from dataclasses import dataclass, field


@dataclass
class _Connection:
    socket: socket.socket
    sent_at: float = 0.0
    received: bytearray = field(default_factory=bytearray)


@dataclass(frozen=True)
class Load:
    """What was answered: requests per second, and the seconds each took."""

    per_second: float
    seconds: list[float]


def post(
    port: int, path: str, body: bytes, headers: dict[str, str], *, connections: int, seconds: float
) -> Load:
    """POST the same body over `connections` for so long. Raises RuntimeError unless all get 202."""
    said = {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(body)), **headers}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {text}" for name, text in said.items()), "", ""]
    request = "\r\n".join(lines).encode() + body
    taken: list[float] = []
    with selectors.DefaultSelector() as selector:
        for _ in range(connections):
            connection = _Connection(socket.create_connection(("127.0.0.1", port), timeout=10))
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            _send(connection, request)
        began = now = time.perf_counter()
        while now - began < seconds:
            for key, _ in selector.select(timeout=10):
                if _receive(key.data):
                    taken.append(time.perf_counter() - key.data.sent_at)
                    _send(key.data, request)
            now = time.perf_counter()
        for key in list(selector.get_map().values()):
            key.data.socket.close()
    return Load(len(taken) / (now - began), taken)


def _send(connection: _Connection, request: bytes) -> None:
    connection.sent_at = time.perf_counter()
    connection.socket.sendall(request)


def _receive(connection: _Connection) -> bool:
    """Whether the answer is complete."""
    data = connection.socket.recv(65536)
    connection.received += data
    head, found, body = connection.received.partition(b"\r\n\r\n")
    if not data or (found and not head.startswith(b"HTTP/1.1 202")):
        raise RuntimeError(f"answered {bytes(connection.received)[:400]!r}")
    if not found or len(body) < _length(bytes(head)):
        return False
    connection.received.clear()
    return True


def _length(head: bytes) -> int:
    _, _, rest = head.lower().partition(b"content-length:")
    return int(rest.partition(b"\r\n")[0])
