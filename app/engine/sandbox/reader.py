"""Reads untrusted documents in a warm child process: within limits, whatever they hold."""

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from app.core import log
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.pages.site.sitemap import Sitemap
from app.engine.sandbox import answers, messages, unconfined
from app.engine.sandbox.documents import EVERYTHING, Document, ReadDocument, ReadingScope

_ROOT = Path(__file__).parents[3]
_START_SECONDS = 60.0
_POLL_SECONDS = 0.05
# What a child that was taken over could falsify, and what its memory could grow by, ends here.
_MOST_DOCUMENTS = 500
# How it is when its time is over, or the system has no memory left.
_OVERRUN = frozenset({-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL})

logger = log.get(__name__)
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """The limits of one document besides the CPU time of `ReadingScope`: wall time and memory."""

    seconds: float = 30.0
    memory_bytes: int = 1024 * 1024 * 1024


DEFAULT_LIMITS = ReaderLimits()


class DocumentReader:
    """Reads documents one at a time; threads share it, and wait for their turn.

    The child is started when it is first needed, replaced when it dies or overruns, and ends when
    this process does, however that ends.
    """

    program = "app.engine.sandbox.child"

    def __init__(self, limits: ReaderLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._turn = threading.Lock()
        self._child: _Child | None = None
        _readers.add(self)

    def read(
        self, document: Document, deadline: float, wanted: ReadingScope = EVERYTHING
    ) -> ReadDocument:
        """Read and prepare `document` before `deadline` (time.monotonic()).

        Raises PageUnreadable and nothing else: TIMEOUT when the deadline came first, TOO_COSTLY
        beyond the limits, UNREADABLE when the reading itself failed.
        """
        head = {
            **about(document),
            "kind": "page",
            "passages": wanted.passages,
            "terms": wanted.terms,
            "cpu_seconds": wanted.cpu_seconds,
        }
        return self.ask(head, document.body, deadline, answers.page_reading)

    def read_sitemap(self, body: bytes, url: str, deadline: float) -> Sitemap:
        """Read a sitemap found at `url`. Raises PageUnreadable as `read` does."""
        head = {"kind": "sitemap", "url": url, "cpu_seconds": EVERYTHING.cpu_seconds}
        return self.ask(head, body, deadline, answers.sitemap)

    @property
    def pid(self) -> int | None:
        """The process id of the child; None when there is none."""
        child = self._child
        return child.process.pid if child is not None else None

    def warm(self) -> None:
        """Start the child if there is none, and wait for nothing."""
        if self._turn.acquire(blocking=False):
            try:
                self._living()
            finally:
                self._turn.release()

    def close(self) -> None:
        """End the child; the next document starts another."""
        with self._turn:
            self._end()

    def ask(
        self,
        head: dict[str, Any],
        body: bytes,
        deadline: float,
        checked: Callable[[object], Answer],
    ) -> Answer:
        """The child's answer to one message; `checked` raises Malformed for what is none.

        Raises PageUnreadable as `read` does.
        """
        if len(body) > messages.MOST_BODY_BYTES:
            raise PageUnreadable(Unreadable.TOO_LARGE)
        if not self._turn.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise PageUnreadable(Unreadable.TIMEOUT)
        try:
            child = self._ready(deadline)
            return checked(self._exchange(child, messages.encode(head, body), deadline))
        except answers.Malformed as error:
            self._end()
            raise PageUnreadable(Unreadable.UNREADABLE) from error
        except PageUnreadable as unreadable:
            if unreadable.reason is Unreadable.TOO_COSTLY:  # its memory may be left in pieces
                self._end()
            raise
        finally:
            self._turn.release()

    def _ready(self, deadline: float) -> "_Child":
        """A child that waits for a document. One that is not ready in time goes on starting."""
        child = self._living()
        if not child.ready:
            self._await_start(child, deadline)
        child.documents += 1
        return child

    def _living(self) -> "_Child":
        child = self._child
        if child is None or child.process.poll() is not None or child.documents >= _MOST_DOCUMENTS:
            self._end()
            child = self._child = _Child(self.program, self._limits.memory_bytes)
        return child

    def _await_start(self, child: "_Child", deadline: float) -> None:
        until = min(deadline, child.started + _START_SECONDS)
        try:
            child.ready = _confined(child.hear(until))
        except TimeoutError as error:
            if until != deadline:
                self._end()
            raise PageUnreadable(Unreadable.TIMEOUT) from error
        except (messages.Broken, OSError) as error:
            self._end()
            logger.error("no process to read pages in", ended=child.process.returncode)
            raise PageUnreadable(Unreadable.UNREADABLE) from error
        if not child.ready:
            self._end()
            raise PageUnreadable(Unreadable.UNREADABLE)

    def _exchange(self, child: "_Child", message: bytes, deadline: float) -> object:
        until = min(deadline, time.monotonic() + self._limits.seconds)
        try:
            child.say(message, until)
            return _noted(child.hear(until))
        except TimeoutError as error:
            self._end()
            reason = Unreadable.TIMEOUT if until == deadline else Unreadable.TOO_COSTLY
            raise PageUnreadable(reason) from error
        except (messages.Broken, OSError) as error:
            ended = self._end()
            reason = Unreadable.TOO_COSTLY if ended in _OVERRUN else Unreadable.UNREADABLE
            raise PageUnreadable(reason) from error

    def _end(self) -> int | None:
        """End the child, if there is one; how it ended."""
        child, self._child = self._child, None
        return child.end() if child is not None else None

    def forget(self) -> None:
        """In a process forked from the one that started the child: it is not this one's."""
        child, self._child = self._child, None
        self._turn = threading.Lock()
        if child is not None:
            child.connection.close()
            child.process.returncode = 0


class _Child:
    """The process and the connection to it, which is its standard input."""

    def __init__(self, program: str, memory_bytes: int) -> None:
        self.ready = False
        self.documents = 0
        self.started = time.monotonic()
        self.connection, other = socket.socketpair()
        with other:
            self.process = subprocess.Popen(  # noqa: S603 - this program itself
                [sys.executable, "-P", "-s", "-m", program, str(memory_bytes)],
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                # None of the parent's: it holds secrets.
                env={"PYTHONPATH": str(_ROOT), "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
            )

    def say(self, message: bytes, until: float) -> None:
        """Raises TimeoutError, OSError."""
        self.connection.settimeout(_left(until))
        self.connection.sendall(message)

    def hear(self, until: float) -> object:
        """The head of the next message. Raises TimeoutError, Broken, OSError."""

        def some(count: int) -> bytes:
            self.connection.settimeout(_left(until))
            return self.connection.recv(min(count, 1 << 20))

        return messages.receive(some)[0]

    def end(self) -> int:
        self.connection.close()
        with suppress(subprocess.TimeoutExpired):  # let it end by itself, to learn how
            self.process.wait(_POLL_SECONDS)
        self.process.kill()
        ended: int = self.process.wait()
        return ended


def about(document: Document) -> dict[str, Any]:
    """Returns what a message says of the document it brings."""
    return {
        "media_type": document.media_type,
        "charset": document.charset,
        "url": document.url,
        "robots_tag": document.robots_tag,
    }


def _confined(greeting: object) -> bool:
    """True if a child that has started may be given documents."""
    return isinstance(greeting, dict) and unconfined.may_read(greeting.get("missing"))


def _noted(answer: object) -> object:
    """The answer; what a reader of the log should know of it is logged."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, str) and error.isidentifier():
        logger.warning("reading a page failed", error=error[:100])
    return answer


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


@cache
def page_reader() -> DocumentReader:
    """The one of this process."""
    return DocumentReader()


def _forget_children() -> None:
    for reader in list(_readers):
        reader.forget()


def _close() -> None:
    for reader in list(_readers):
        reader.close()


_readers: "weakref.WeakSet[DocumentReader]" = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_children)
atexit.register(_close)
