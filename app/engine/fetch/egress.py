"""A way out through the operator's proxy, for machines that may reach nothing else.

The proxy is given addresses, not names: what was judged is what is connected to. TLS goes through
it to the other end, so it reads and changes nothing of what is sent by https.
"""

import socket
import time
from typing import Final

from app.engine.fetch.connection import Connect, tcp

_HEAD_BYTES: Final = 8192


def way_out(proxy: str) -> Connect:
    """Directly, or through the proxy at `host:port`."""
    if not proxy:
        return tcp
    host, _, port = proxy.rpartition(":")
    return Tunnels(host, int(port))


class Tunnels:
    """Connects by asking a proxy for it (CONNECT, RFC 9110, 9.3.6)."""

    def __init__(self, host: str, port: int) -> None:
        self._proxy = (host, port)

    def __call__(self, address: str, port: int, timeout_seconds: float) -> socket.socket:
        """A socket whose other end is that address. Raises OSError; TimeoutError is one."""
        until = time.monotonic() + timeout_seconds
        sock = socket.create_connection(self._proxy, timeout_seconds)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            there = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
            sock.sendall(f"CONNECT {there} HTTP/1.1\r\nHost: {there}\r\n\r\n".encode("ascii"))
            _check(_head(sock, until))
        except BaseException:
            sock.close()
            raise
        return sock


def _head(sock: socket.socket, until: float) -> bytes:
    """Byte by byte, since what follows belongs to the other end."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sock.settimeout(left)
        byte = sock.recv(1)
        if not byte or len(head) >= _HEAD_BYTES:
            raise ConnectionError("the proxy's answer is none")
        head += byte
    return head


def _check(head: bytes) -> None:
    version, _, status = head.partition(b"\r\n")[0].partition(b" ")
    if not version.startswith(b"HTTP/1.") or not status.startswith(b"2"):
        raise ConnectionRefusedError("the proxy does not connect us")
