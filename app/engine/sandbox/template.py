"""The process that reading children are forked from: what they need is loaded once, and shared.

`python -P -s -m app.engine.sandbox.template PROGRAM`. PROGRAM is a module with `load`, called once
before the first fork, and `main(memory_bytes)`, which a child does. The standard input is a socket
over which `child_process` orders children; when the last process that may order has gone, this one
ends. When no child has lived for a while it begins anew, with nothing loaded: what it loads takes
more memory than anything else in a service at rest. It knows no secret, and no document reaches it.
"""

import os
import selectors
import signal
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType

ORDER = struct.Struct(">q")
"""The memory that a child may take. Two sockets come along: for its documents, and for its life."""
NUMBER = struct.Struct(">i")
"""What is said of a child's life: first its process id, in the end its exit code (negative: the
signal). When the other side says anything, or closes, the child is killed.
"""
LOADED_SECONDS = 120.0
"""How long it stays loaded after its last child: loading takes a second of CPU time."""
_MOST_BYTES = 64


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # meant for those who order
        signal.signal(number, signal.SIG_IGN)
    ForkServer(sys.argv[1], socket.socket(fileno=0)).run()


class ForkServer:
    """Forks children of one program until nobody can order any more."""

    def __init__(self, program: str, orders: socket.socket) -> None:
        self._program, self._orders = program, orders
        self._module: ModuleType | None = None
        self._lives: dict[int, socket.socket] = {}
        self._signals, self._wakeup = socket.socketpair()
        for end in (self._signals, self._wakeup):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wakeup.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGALRM):  # a child has ended; none was wanted lately
            signal.signal(number, lambda *_: None)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._orders, selectors.EVENT_READ)
        self._selector.register(self._signals, selectors.EVENT_READ)

    def run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._signals:
                    self._heed(self._signals.recv(_MOST_BYTES))
                elif key.fileobj is not self._orders:
                    self._kill(key.data)
                elif not self._take_order():
                    return

    def _heed(self, signals: bytes) -> None:
        """`signals` has the number of each as a byte."""
        self._reap()
        if signal.SIGALRM in signals and not self._lives:
            # Orders that nobody has taken stay in the socket, which is kept.
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606

    def _take_order(self) -> bool:
        """False if nobody is left who could order."""
        order, sockets, _, _ = socket.recv_fds(self._orders, ORDER.size, 2)
        if len(order) < ORDER.size:
            return False
        documents, life = (socket.socket(fileno=number) for number in sockets)
        with documents:
            self._fork(ORDER.unpack(order)[0], documents, life)
        return True

    def _fork(self, memory_bytes: int, documents: socket.socket, life: socket.socket) -> None:
        if self._module is None:
            self._module = import_module(self._program)
            self._module.load()
        signal.setitimer(signal.ITIMER_REAL, 0)
        pid = os.fork()
        if pid == 0:
            self._become_child(self._module, memory_bytes, documents, life)
        self._lives[pid] = life
        self._selector.register(life, selectors.EVENT_READ, pid)
        _tell(life, pid)

    def _become_child(
        self, module: ModuleType, memory_bytes: int, documents: socket.socket, life: socket.socket
    ) -> None:
        """Does not return."""
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGALRM):
                signal.signal(number, signal.SIG_DFL)
            os.dup2(documents.fileno(), 0)  # in the place of the orders
            self._selector.close()
            for each in (documents, life, self._signals, self._wakeup, *self._lives.values()):
                each.close()
            self._orders.detach()
            module.main(memory_bytes)
            os._exit(0)
        finally:
            os._exit(1)

    def _kill(self, pid: int) -> None:
        if pid in self._lives:  # it may have ended, and been reaped, in the same moment
            self._selector.unregister(self._lives[pid])
            os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        for pid, life in list(self._lives.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._lives[pid]
                if life in self._selector.get_map():
                    self._selector.unregister(life)
                if not self._lives:
                    signal.setitimer(signal.ITIMER_REAL, LOADED_SECONDS)
                _tell(life, os.waitstatus_to_exitcode(status))
                life.close()


def _tell(life: socket.socket, number: int) -> None:
    with suppress(OSError):  # who ordered it has gone, and so the child is killed
        life.send(NUMBER.pack(number))


if __name__ == "__main__":
    main()
