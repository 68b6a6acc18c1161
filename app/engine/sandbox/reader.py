"""Reads untrusted documents in a warm child process: within limits, whatever they hold."""

import atexit
import math
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar

from app.core import log
from app.core.errors import AppError
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.pages.site.sitemap import Sitemap
from app.engine.sandbox import answers, messages, unconfined
from app.engine.sandbox.child_process import ChildProcess, ChildWatch, Idle
from app.engine.sandbox.documents import EVERYTHING, Document, ReadDocument, ReadingScope

UNHURRIED: Final = math.inf
"""The deadline of a job: only the CPU time of the reading ends it, however busy the machine is."""
_START_SECONDS = 60.0
_CPU_MARGIN = 2.0  # a child that was taken over may have switched its own limit off
# What a child that was taken over could falsify, and what its memory could grow by, ends here.
_MOST_DOCUMENTS = 500
# How it is when its time is over, or the system has no memory left.
_OVERRUN = frozenset({-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL})

logger = log.get(__name__)
Answer = TypeVar("Answer")


class ReaderNotReady(AppError):
    """The process that reads documents is not ready. Try again."""

    code, status, retryable = "reader_not_ready", 503, True


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """One document's limits besides CPU time: the seconds a child may be idle, memory."""

    seconds: float = 30.0
    memory_bytes: int = 1024 * 1024 * 1024


DEFAULT_LIMITS = ReaderLimits()


class DocumentReader:
    """Reads documents one at a time; threads share it, and wait for their turn.

    The child is forked when it is needed, replaced when it dies or overruns, and ends when it is
    idle for long or this process ends, however that ends.
    """

    program = "app.engine.sandbox.child"

    def __init__(self, limits: ReaderLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._turn = threading.Lock()
        self._child: ChildProcess | None = None
        _readers.add(self)

    def read(
        self, document: Document, deadline: float, wanted: ReadingScope = EVERYTHING
    ) -> ReadDocument:
        """Read and prepare `document` before `deadline` (time.monotonic()).

        Raises PageUnreadable, TOO_COSTLY beyond the limits and UNREADABLE when the reading itself
        failed; and ReaderNotReady when the deadline came first, which says nothing of the document.
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
        """Read a sitemap found at `url`. Raises what `read` does."""
        head = {"kind": "sitemap", "url": url, "cpu_seconds": EVERYTHING.cpu_seconds}
        return self.ask(head, body, deadline, answers.sitemap)

    @property
    def pid(self) -> int | None:
        """The process id of the child; None when there is none."""
        child = self._child
        return child.pid if child is not None else None

    def warm(self) -> None:
        """Start the child if there is none, and wait for nothing."""
        if self._turn.acquire(blocking=False):
            try:
                self._living()
            finally:
                self._turn.release()

    def prepare(self, deadline: float = UNHURRIED) -> None:
        """Wait until the child can read. Raises ReaderNotReady."""
        with self._turn_by(deadline):
            self._ready(deadline)

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
        """The child's answer to a message, as `checked`. Raises what `read` does."""
        if len(body) > messages.MOST_BODY_BYTES:
            raise PageUnreadable(Unreadable.TOO_LARGE)
        with self._turn_by(deadline):
            child = self._ready(deadline)
            child.documents += 1
            try:
                return checked(self._exchange(child, head, body, deadline))
            except answers.Malformed as error:
                self._end()
                raise PageUnreadable(Unreadable.UNREADABLE) from error
            except PageUnreadable as unreadable:
                if unreadable.reason is Unreadable.TOO_COSTLY:  # its memory may be left in pieces
                    self._end()
                raise

    @contextmanager
    def _turn_by(self, deadline: float) -> Iterator[None]:
        """Raises ReaderNotReady when other threads' documents take until then."""
        left = deadline - time.monotonic()
        if not self._turn.acquire(timeout=min(max(0.0, left), threading.TIMEOUT_MAX)):
            raise ReaderNotReady(why="other documents were read")
        try:
            yield
        finally:
            self._turn.release()

    def _ready(self, deadline: float) -> ChildProcess:
        """A child that waits for a document. One that is not ready in time goes on starting."""
        child = self._living()
        if not child.ready:
            self._await_start(child, deadline)
        return child

    def _living(self) -> ChildProcess:
        child = self._child
        if child is None or not child.can_go_on or child.documents >= _MOST_DOCUMENTS:
            self._end()
            child = self._child = ChildProcess(self.program, self._limits.memory_bytes)
        return child

    def _await_start(self, child: ChildProcess, deadline: float) -> None:
        try:
            child.ready = _confined(child.greeting(deadline, _START_SECONDS))
        except TimeoutError as error:
            raise ReaderNotReady(why="it starts") from error
        except (Idle, messages.ChannelFailed, OSError) as error:
            logger.error("no process to read pages in", ended=self._end())
            raise ReaderNotReady(why="it did not start") from error
        if not child.ready:
            self._end()
            raise PageUnreadable(Unreadable.UNREADABLE)

    def _exchange(
        self, child: ChildProcess, head: dict[str, Any], body: bytes, deadline: float
    ) -> object:
        cpu_seconds = _CPU_MARGIN * head["cpu_seconds"]
        watch = ChildWatch(child.pid, deadline, self._limits.seconds, cpu_seconds)
        try:
            child.say(messages.encode(head, body), watch)
            return _noted(child.hear(watch))
        except TimeoutError as error:
            self._end()
            raise ReaderNotReady(why="it was read until the deadline") from error
        except Idle as error:
            self._end()
            raise PageUnreadable(Unreadable.TOO_COSTLY) from error
        except (messages.ChannelFailed, OSError) as error:
            ended = self._end()
            if ended == -signal.SIGALRM:
                raise ReaderNotReady(why="it was idle for too long") from error
            reason = Unreadable.TOO_COSTLY if ended in _OVERRUN else Unreadable.UNREADABLE
            raise PageUnreadable(reason) from error
        except BaseException:  # it was interrupted: the answer would be taken for the next one's
            self._end()
            raise

    def _end(self) -> int | None:
        """End the child, if there is one; how it ended."""
        child, self._child = self._child, None
        return child.end() if child is not None else None

    def forget(self) -> None:
        """In a process forked from the one that started the child: it is not this one's."""
        child, self._child = self._child, None
        self._turn = threading.Lock()
        if child is not None:
            child.leave()


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


@cache
def page_reader() -> DocumentReader:
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
