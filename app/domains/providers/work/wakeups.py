"""Waking claims that wait, without a herd: as many as there is work for, and only who may have it.

A message through Redis says what came; each process wakes a waiter for it. What no message says (a
draw that has widened, a lease that ended, a Redis that is away) one look at the database finds, for
all waiters of a process together: no waiter asks for itself.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from uuid import UUID

import redis

from app.core import log
from app.core.db import Tx
from app.core.redis.events import connect, listen
from app.core.redis.guard import RedisGuard

logger = log.get(__name__)

CHANNEL: Final = "citegrid:work"
LOOK_SECONDS: Final = 2.0


class _Notifier:
    """Says through Redis that there is work."""

    def __init__(self, client: redis.Redis) -> None:
        self._client, self._guard = client, RedisGuard("work")

    def notify(self, class_: str, n: int) -> None:
        message = json.dumps([class_, n])
        self._guard.ask(lambda: self._client.publish(CHANNEL, message))


_notifier: _Notifier | None = None


def connect_notifier(redis_url: str) -> None:
    """Call once in each process that offers work or hands it out."""
    global _notifier
    _notifier = _Notifier(connect(redis_url))


def wake(tx: Tx, class_: str, n: int) -> None:
    """Once this transaction has committed, wake at most `n` claims of the class in each process.

    A class is a kind of work, or `for_node` of a node.
    """
    tx.after_commit.append(partial(notify, class_, n))


def notify(class_: str, n: int) -> None:
    """Wake at most `n` claims of the class in each process, now."""
    if _notifier is not None:
        _notifier.notify(class_, n)


def for_node(node_id: UUID) -> str:
    """The class of all claims of one node."""
    return f"node {node_id}"


def for_key(node_id: UUID, key: str) -> str:
    """The class of the claims of a node with this key: repetitions of one poll."""
    return f"claim {node_id} {key}"


@dataclass(eq=False, slots=True)
class Waiter:
    node_id: UUID
    account_id: UUID
    kinds: frozenset[str]
    key: str = ""
    woken: threading.Event = field(default_factory=threading.Event)

    def hears(self, class_: str) -> bool:
        return class_ in self.kinds or class_ in (
            for_node(self.node_id),
            for_key(self.node_id, self.key),
        )


@dataclass(frozen=True, slots=True)
class OpenClaim:
    """An item, and who of those that wait may have it; of any kind if `kind` is None."""

    kind: str | None
    may: Callable[[Waiter], bool]


Look = Callable[[Sequence[str], Sequence[UUID]], list[OpenClaim]]
"""Reads a few items of these kinds that nobody has, and which claims of these nodes were just
given something."""


class Waiters:
    """The claims that wait in this process; who has waited longest is woken first."""

    def __init__(self, client: redis.Redis, look: Look) -> None:
        self._client, self._look = client, look
        self._lock = threading.Lock()
        self._waiting: dict[Waiter, None] = {}  # in the order of their coming
        self._some = threading.Event()
        self._started = False

    @contextmanager
    def joined(self, waiter: Waiter) -> Iterator[None]:
        """While it is inside it can be woken; it asks for work after entering."""
        self._start()
        with self._lock:
            self._waiting[waiter] = None
            self._some.set()
        try:
            yield
        finally:
            with self._lock:
                self._waiting.pop(waiter, None)
                if not self._waiting:
                    self._some.clear()

    def _start(self) -> None:
        with self._lock:
            if self._started:
                return
            self._started = True
        for name, target in (("work", self._listen), ("work look", self._look_around)):
            threading.Thread(target=target, name=name, daemon=True).start()

    def wake(self, class_: str, n: int) -> None:
        """At most `n` that hear the class and have not been woken since they last asked."""
        self._wake(lambda waiter: waiter.hears(class_), n)

    def _wake(self, may: Callable[[Waiter], bool], n: int) -> None:
        with self._lock:
            for waiter in self._waiting:
                if n <= 0:
                    return
                if not waiter.woken.is_set() and may(waiter):
                    waiter.woken.set()
                    n -= 1

    def _listen(self) -> None:
        listen(self._client, CHANNEL, self._heard, "work")

    def _heard(self, message: bytes) -> None:
        class_, n = _parsed(message)
        self.wake(class_, n)

    def _look_around(self) -> None:
        while True:
            self._some.wait()
            time.sleep(LOOK_SECONDS)
            with self._lock:
                kinds = sorted({kind for waiter in self._waiting for kind in waiter.kinds})
                node_ids = [waiter.node_id for waiter in self._waiting]
            try:
                for item in self._look(kinds, node_ids):
                    self._wake(partial(_fits, item), 1)
            except Exception:  # whatever it is, the next look may succeed
                logger.exception("no look for work")


def _fits(item: OpenClaim, waiter: Waiter) -> bool:
    return (item.kind is None or item.kind in waiter.kinds) and item.may(waiter)


def _parsed(message: bytes) -> tuple[str, int]:
    """Reads what `notify` sent; whatever else stands on the channel wakes nobody."""
    try:
        said: Any = json.loads(message)
        return str(said[0]), int(said[1])
    except (ValueError, LookupError, TypeError):
        return "", 0
