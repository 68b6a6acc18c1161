"""The process that reads documents, as its parent has it: talking to it, and watching it work."""

import atexit
import math
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from app.engine.sandbox import messages, template

_ROOT = Path(__file__).parents[3]
IDLE_SECONDS = 60.0
"""A child that was idle for so long is left; it ends by itself a little later."""
_END_SECONDS = 0.05
_UNKNOWN = 1
_POLL_SECONDS = 0.25
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_IN_WORK = frozenset("RD")  # it computes, or would if it got a processor, or waits for a disk

Result = TypeVar("Result")


class Idle(Exception):
    """The child was idle for too long, or took more CPU time than it may."""


class ChildWatch:
    """The limits of a child's work on one message: how long it may be idle, and its CPU time.

    It is not idle while it would work if the machine let it. Where the system tells nothing of
    processes it is idle all the time.
    """

    def __init__(
        self, pid: int, deadline: float, idle_seconds: float, cpu_seconds: float = math.inf
    ) -> None:
        self._stat, self._deadline = Path(f"/proc/{pid}/stat"), deadline
        self._idle_seconds, self._cpu_seconds = idle_seconds, cpu_seconds
        _, self._first = self._look()
        self._last = self._first

    def patiently(self, act: Callable[[float], Result]) -> Result:
        """`act` again and again in its time. Raises TimeoutError at the deadline, Idle."""
        while True:
            seconds = min(_POLL_SECONDS, _left(self._deadline))
            try:
                return act(seconds)
            except TimeoutError:
                self._count(seconds)

    def _count(self, seconds: float) -> None:
        state, spent = self._look()
        if state not in _IN_WORK and spent <= self._last:
            self._idle_seconds -= seconds
        self._last = spent
        if self._idle_seconds <= 0 or spent - self._first > self._cpu_seconds:
            raise Idle

    def _look(self) -> tuple[str, float]:
        """The letter of the child's state, and the CPU seconds it has used (man 5 proc)."""
        try:
            facts = self._stat.read_text().rpartition(")")[2].split()
            return facts[0], (int(facts[11]) + int(facts[12])) / _TICKS_PER_SECOND
        except (OSError, IndexError, ValueError):
            return "", 0.0


class ReaderTemplate:
    """A process that forks children of one program (see `template`), for us and for our forks."""

    def __init__(self, program: str) -> None:
        self._orders, other = socket.socketpair()
        with other:
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                [sys.executable, "-P", "-s", "-m", template.__name__, program],
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                # None of the parent's: it holds secrets.
                env={"PYTHONPATH": str(_ROOT), "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
            )
        self.pid = self._process.pid
        self._process.returncode = 0  # nobody waits for it: it ends when all who may order have

    def order(self, memory_bytes: int, documents: socket.socket, life: socket.socket) -> None:
        """Raises OSError when it has ended."""
        sockets = [documents.fileno(), life.fileno()]
        socket.send_fds(self._orders, [template.ORDER.pack(memory_bytes)], sockets)

    def close(self) -> None:
        """It ends when all forks have closed it, too."""
        self._orders.close()


_templates: dict[str, ReaderTemplate] = {}
_starting = threading.Lock()


def _close_templates() -> None:
    for known in _templates.values():
        known.close()


atexit.register(_close_templates)
os.register_at_fork(
    before=_starting.acquire, after_in_parent=_starting.release, after_in_child=_starting.release
)


def start_template(program: str) -> ReaderTemplate:
    """Start the template of a program, unless there is one. It loads nothing before it is asked.

    Call it before a fork: then all forks share it.
    """
    with _starting:
        if program not in _templates:
            _templates[program] = ReaderTemplate(program)
        return _templates[program]


class ChildProcess:
    """A forked child, its documents' connection, and the one over which its life is told."""

    def __init__(self, program: str, memory_bytes: int) -> None:
        self.ready = False
        self.documents = 0
        self._used_at = time.monotonic()
        self._own_pid: int | None = None
        self.connection, documents = socket.socketpair()
        self._life, life = socket.socketpair()
        with documents, life:
            self._template = start_template(program)
            try:
                self._template.order(memory_bytes, documents, life)
            except OSError:  # it was killed
                _templates.pop(program).close()
                self._template = start_template(program)
                self._template.order(memory_bytes, documents, life)

    @property
    def pid(self) -> int:
        """Of the child, and until there is one that of its template."""
        return self._own_pid or self._template.pid

    @property
    def can_go_on(self) -> bool:
        """False if it ended, or may end at any time because it was idle for long."""
        if not self.ready:
            return True
        if time.monotonic() - self._used_at > IDLE_SECONDS:
            return False
        self.connection.settimeout(0)
        try:
            self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False  # it has gone, or speaks unasked

    def greeting(self, deadline: float, idle_seconds: float) -> object:
        """Its first message. Raises what `hear` does."""
        if self._own_pid is None:
            watch = ChildWatch(self.pid, deadline, idle_seconds)
            self._own_pid = watch.patiently(self._number)
            if self._own_pid is None:
                raise messages.ChannelFailed("no child")
        return self.hear(ChildWatch(self.pid, deadline, idle_seconds))

    def say(self, message: bytes, watch: ChildWatch) -> None:
        """Raises what `ChildWatch` does, OSError."""
        self._used_at = time.monotonic()
        left = memoryview(message)

        def send(seconds: float) -> int:
            self.connection.settimeout(seconds)
            return self.connection.send(left)

        while left:
            left = left[watch.patiently(send) :]

    def hear(self, watch: ChildWatch) -> object:
        """The head of the next message. Raises what `ChildWatch` does, ChannelFailed, OSError."""

        def some(count: int) -> bytes:
            def receive(seconds: float) -> bytes:
                self.connection.settimeout(seconds)
                return self.connection.recv(min(count, 1 << 20))

            return watch.patiently(receive)

        return messages.receive(some)[0]

    def end(self) -> int:
        """Ends it; its exit code, or a negative signal."""
        self.connection.close()
        with self._life:
            if self._own_pid is None:
                return _UNKNOWN  # closing kills it as soon as it is there
            with suppress(TimeoutError):  # let it end by itself, to learn how
                return self._exit_code(_END_SECONDS)
            with suppress(OSError):
                self._life.send(b"!")
            return self._exit_code(None)

    def leave(self) -> None:
        """In a fork: close what belongs to the process that ordered the child."""
        self.connection.close()
        self._life.close()

    def _exit_code(self, seconds: float | None) -> int:
        code = self._number(seconds)
        return _UNKNOWN if code is None else code

    def _number(self, seconds: float | None) -> int | None:
        """The next that its template says of it; None when the template has gone."""
        self._life.settimeout(seconds)
        try:
            told = self._life.recv(template.NUMBER.size)
        except ConnectionError:
            return None
        return int(template.NUMBER.unpack(told)[0]) if told else None


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
