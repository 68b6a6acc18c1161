"""Listening sockets: open once a process is ready, closed as the first act of its end.

gunicorn listens before it loads the application, so a connection waits for an import that may fail;
and its workers hold their sockets to the end, so connections pile up that nobody accepts.
"""

import ctypes
import os
import socket
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from gunicorn import sock, systemd
from gunicorn.sock import BaseSocket

_NOTIFY: Final = "NOTIFY_SOCKET"
_ATTACH_FILTER: Final = 26  # SO_ATTACH_FILTER of Linux, which Python does not name
# Of a packet: load the flags of TCP; if SYN is set drop it, else take it (linux/bpf_common.h).
_NO_SYN: Final = b"".join(
    struct.pack("HBBI", *step)
    for step in ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
)

_close_sockets = sock.close_sockets
_notify_socket: str | None = None


def hold_back() -> None:
    """Have gunicorn bind without listening, and leave it to workers to say that they are ready."""
    global _notify_socket
    sock.close_sockets = _close_for_good
    BaseSocket._is_listening = staticmethod(lambda _socket: True)
    # systemd's, for gunicorn, which says "ready" before any worker is.
    _notify_socket = os.environ.pop(_NOTIFY, _notify_socket)  # noqa: TID251


def _close_for_good(listeners: Sequence[Any], unlink: bool = True) -> None:
    """gunicorn's own, in its main process, before it asks the workers to end.

    `unlink` says that nobody else has the sockets: no other main process, and not systemd.
    """
    if unlink:
        for listener in listeners:
            let_nobody_in(listener)
    _close_sockets(listeners, unlink)


def let_nobody_in(listener: Any) -> None:
    """Ignore new connections, so that none comes between the last that is taken and the end.

    Their clients ask again after a second, and are refused.
    """
    steps = ctypes.create_string_buffer(_NO_SYN)
    program = struct.pack("HP", len(_NO_SYN) // 8, ctypes.addressof(steps))
    with suppress(OSError):  # not Linux, or no kernel of its own
        listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)


def open_all(listeners: Sequence[Any], backlog: int, log: Any) -> None:
    """Listen, and tell systemd (`Type=notify`). What systemd has opened listens already."""
    for listener in listeners:
        if not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            listener.listen(backlog)
    if _notify_socket:
        os.environ[_NOTIFY] = _notify_socket  # noqa: TID251
        systemd.sd_notify("READY=1", log, unset_environment=True)


def close_all(listeners: Sequence[Any], backlog: int, accept: Callable[[Any], bool]) -> None:
    """Close, after `accept` took the connections that are complete: the kernel would reset them."""
    for listener in listeners:
        for _ in range(backlog):
            if not accept(listener):
                break
        listener.close()
