"""Sockets to checked addresses, and the urllib3 connections that speak over them."""

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from http.client import CONTINUE, OK, SWITCHING_PROTOCOLS
from ipaddress import IPv6Address, ip_address
from types import TracebackType
from typing import Final, Self

from urllib3.connection import HTTPConnection, HTTPSConnection

from app.engine.fetch.address import IPAddress, is_public
from app.engine.fetch.deadline import Deadline
from app.engine.fetch.failure import FetchFailed
from app.engine.fetch.policy import FetchPolicy
from app.engine.fetch.url import Target

# (host, seconds) -> addresses as text; may raise TimeoutError
Resolve = Callable[[str, float], Sequence[str]]
# (address, port, seconds) -> a connected socket; may raise OSError
Connect = Callable[[str, int, float], socket.socket]

_MAX_ADDRESSES: Final = 4
_MOST_INTERIM: Final = 10


def tcp(address: str, port: int, timeout_seconds: float) -> socket.socket:
    """Connect to a numeric address; no name is ever looked up here. Raises OSError."""
    is_v6 = isinstance(ip_address(address), IPv6Address)
    sock = socket.socket(socket.AF_INET6 if is_v6 else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout_seconds)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect((address, port))
    except BaseException:
        sock.close()
        raise
    return sock


class Dialer:
    """Looks a name up once, judges every answer, connects to one that was judged."""

    def __init__(self, resolve: Resolve, connect: Connect) -> None:
        self._resolve = resolve
        self._connect = connect

    def dial(
        self, target: Target, policy: FetchPolicy, deadline: Deadline
    ) -> tuple[socket.socket, bool]:
        """A connected socket, and whether by the allow-list. Raises FetchFailed, TimeoutError."""
        addresses = self._addresses(target, policy, deadline)
        for address in addresses:
            _judge(target, address, policy)
        late = False
        for address in addresses[:_MAX_ADDRESSES]:
            try:
                seconds = deadline.left(policy.connect_seconds)
                sock = self._connect(str(address), target.port, seconds)
            except TimeoutError:
                late = True
            except OSError:
                continue  # the next address may answer; if none does, that is said below
            else:
                return sock, target.listed or policy.lists_address(address, target.port)
        raise FetchFailed("timeout" if late else "connect_failed", target.host)

    def _addresses(
        self, target: Target, policy: FetchPolicy, deadline: Deadline
    ) -> list[IPAddress]:
        if target.address is not None:
            return [target.address]
        found = self._resolve(target.host, deadline.left(policy.dns_seconds))
        if not found:
            raise FetchFailed("dns_failed", target.host)
        return [ip_address(text) for text in found]


def _judge(target: Target, address: IPAddress, policy: FetchPolicy) -> None:
    if target.listed or policy.lists_address(address, target.port):
        return
    if target.port not in policy.ports:
        raise FetchFailed("port_not_allowed", target.host)
    if not is_public(address):
        raise FetchFailed("address_not_allowed", target.host)


class Cutter:
    """Shuts a socket down when time is up.

    Timeouts of single reads do not stop a server that sends a byte now and then. The cutter holds
    a duplicate of the socket, because TLS takes the original over.
    """

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._line = sock.dup()
        self._cut = threading.Event()
        self._timer = threading.Timer(seconds, self._shut_down)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        self._line.close()

    def check(self) -> None:
        """Raise TimeoutError if the socket was cut: what was read last may be a fragment that
        looks whole, since http.client takes a cut header block for a complete one."""
        if self._cut.is_set():
            raise TimeoutError

    def _shut_down(self) -> None:
        self._cut.set()
        try:
            self._line.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was faster


class _Answer(http.client.HTTPResponse):
    """Passes over what a server says before its answer, as hints (RFC 9110, 15.2)."""

    def begin(self) -> None:
        super().begin()
        for _ in range(_MOST_INTERIM):
            if not CONTINUE < self.status < OK or self.status == SWITCHING_PROTOCOLS:
                return
            self.headers = None  # type: ignore[assignment]  # not begun
            super().begin()


class _Plain(HTTPConnection):
    """HTTP over a socket that is already connected."""

    response_class = _Answer
    dialled: socket.socket

    def _new_conn(self) -> socket.socket:
        return self.dialled


class _Tls(HTTPSConnection):
    """TLS over a socket that is already connected; the name is sent (SNI) and verified."""

    response_class = _Answer
    dialled: socket.socket

    def _new_conn(self) -> socket.socket:
        return self.dialled


def connection(
    target: Target, sock: socket.socket, tls: ssl.SSLContext, timeout_seconds: float
) -> HTTPConnection:
    """An HTTP(S) connection to `target` over `sock`. No proxy, whatever the environment says."""
    link: _Plain | _Tls
    if target.scheme == "https":
        link = _Tls(
            target.host,
            target.port,
            timeout=timeout_seconds,
            ssl_context=tls,
            server_hostname=target.host,
        )
    else:
        link = _Plain(target.host, target.port, timeout=timeout_seconds)
    link.dialled = sock
    sock.settimeout(timeout_seconds)
    return link
