"""The connection of the request at work: whether its client is still there, and keeps up."""

import socket
from contextlib import suppress
from typing import Any, ClassVar, Final

from flask import request

MOST_UNSENT_BYTES: Final = 256 << 10


class ClientConnection:
    """Of the current request; may be asked after its context has gone."""

    def __init__(self) -> None:
        self._socket: Any = request.environ.get("gunicorn.socket")  # other servers name none

    def has_ended(self) -> bool:
        """True if the client has closed it: what is left to read is its end."""
        if self._socket is None:
            return False
        with suppress(OSError):  # nothing to read, or a socket that cannot be asked so
            flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
            return not self._socket.recv(1, flags)
        return False

    def is_behind(self) -> bool:
        """True if more is kept for the client than one who reads would leave."""
        return len(getattr(self._socket, "unsent", b"")) > MOST_UNSENT_BYTES


class Shutdown:
    """The end of this process. `requested` is set once, by the server: what waits on behalf of a
    client answers with what there is."""

    requested: ClassVar[bool] = False
