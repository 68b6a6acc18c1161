"""A TCP connection to a server on a Unix socket, which a test may freeze or cut."""

import contextlib
import socket
import threading
from pathlib import Path
from typing import Self


class Wire:
    """Listens on loopback and forwards to `target`; frozen, it takes bytes and passes on none."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._flowing = threading.Event()
        self._flowing.set()
        self._refusing = False
        self._ends: set[socket.socket] = set()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.thaw()
        self.cut()

    def freeze(self) -> None:
        self._flowing.clear()

    def thaw(self) -> None:
        self._flowing.set()

    def cut(self) -> None:
        """End every connection, and new ones as soon as they come, until `mend`."""
        self._refusing = True
        for end in list(self._ends):
            _close(end)
        self._ends.clear()

    def mend(self) -> None:
        self._refusing = False

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            try:
                if self._refusing:
                    raise ConnectionRefusedError
                far.connect(str(self.target))
            except OSError:
                _close(near)
                _close(far)
                continue
            self._ends |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flowing.wait()
                sink.sendall(data)
        _close(source)
        _close(sink)


def _close(end: socket.socket) -> None:
    """Also for a thread that waits in it, which close() alone would leave waiting."""
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
