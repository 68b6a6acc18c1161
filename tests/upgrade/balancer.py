"""What stands before the processes of the API: new connections go to those in service, in turn."""

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_CHUNK = 1 << 16


class Balancer:
    """Passes bytes on. A process that is taken out keeps the connections it has."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._lock = threading.Lock()
        self._ports: list[int] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def serve(self, *ports: int) -> None:
        """From now on these take new connections, and no others do."""
        with self._lock:
            self._ports = list(ports)

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                caller, _ = self._listener.accept()
                threading.Thread(target=self._pass_on, args=[caller], daemon=True).start()

    def _pass_on(self, caller: socket.socket) -> None:
        with caller, suppress(OSError), self._connected() as process:
            _splice(caller, process)

    def _connected(self) -> socket.socket:
        """To the next that takes the connection."""
        with self._lock:
            ports = self._ports = self._ports[1:] + self._ports[:1]
        for port in ports:
            with suppress(ConnectionRefusedError):
                return socket.create_connection(("127.0.0.1", port))
        raise ConnectionRefusedError


def _splice(one: socket.socket, other: socket.socket) -> None:
    """Until either side is done."""
    with selectors.DefaultSelector() as ready:
        ready.register(one, selectors.EVENT_READ, other)
        ready.register(other, selectors.EVENT_READ, one)
        while True:
            for key, _ in ready.select():
                chunk = key.fileobj.recv(_CHUNK)  # type: ignore[union-attr]
                if not chunk:
                    return
                key.data.sendall(chunk)


@contextmanager
def balancing() -> Iterator[Balancer]:
    balancer = Balancer()
    try:
        yield balancer
    finally:
        balancer.close()
