"""Inboxes of the chats of this process: one thread reads, each chat has its own."""

import queue
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import redis

from app.core import log, metrics
from app.core.redis import clients
from app.core.vault import Unreadable
from app.domains.providers.chats.relay.channel import Channel

MOST_QUEUED_BYTES: Final = 256 << 10
AWAY_SECONDS: Final = 3.0
"""Redis away for longer ends the chats of this process."""
BLOCK_MS: Final = 5_000
PAUSE_SECONDS: Final = 0.2

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class ClaimNotice:
    node_id: UUID
    fence: int


@dataclass(frozen=True, slots=True)
class ChunkBatch:
    """A batch that a node sent; `size` in bytes."""

    data: list[Any]
    done: bool
    usage: Any
    error: str | None
    size: int


@dataclass(frozen=True, slots=True)
class LossNotice:
    """Nothing more will come. `why` is for the log."""

    why: str


RelayMessage = ClaimNotice | ChunkBatch | LossNotice


class Inbox:
    """Of one chat. Who does not read loses: beyond 256 kB it is marked, and no more is put in."""

    def __init__(self) -> None:
        self._messages: queue.SimpleQueue[RelayMessage] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._queued_bytes = 0
        self.overflowed = False

    def put(self, message: RelayMessage) -> None:
        size = message.size if isinstance(message, ChunkBatch) else 0
        with self._lock:
            if self.overflowed:
                return
            self._queued_bytes += size
            self.overflowed = self._queued_bytes > MOST_QUEUED_BYTES
        self._messages.put(message)

    def get(self, seconds: float) -> RelayMessage | None:
        """The next one, or None when none came within so long."""
        try:
            message = self._messages.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        if isinstance(message, ChunkBatch):
            with self._lock:
                self._queued_bytes -= message.size
        return message


class Inboxes:
    """One per process; its thread begins with the first chat."""

    def __init__(
        self, client: "redis.Redis", channel: Channel, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`client` is for the thread alone; it waits longer than `BLOCK_MS` for an answer."""
        self._client, self._channel, self._clock = client, channel, clock
        self.stream = f"chunks:{uuid.uuid4().hex}"
        self._lock = threading.Lock()
        self._inboxes: dict[UUID, Inbox] = {}
        self._thread: threading.Thread | None = None
        self._away_since: float | None = None
        self._last = "0"  # never "$": what comes between two reads would be lost

    def add(self, id: UUID) -> Inbox:
        """The inbox of a chat, from before it can be claimed."""
        inbox = Inbox()
        with self._lock:
            self._inboxes[id] = inbox
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="chats", daemon=True)
                self._thread.start()
        return inbox

    def remove(self, id: UUID) -> None:
        with self._lock:
            self._inboxes.pop(id, None)

    def _run(self) -> None:
        while True:
            try:
                self.read_once()
            except (redis.RedisError, OSError):
                metrics.redis_away.labels("chats").inc()
                self._missed()
                time.sleep(PAUSE_SECONDS)
            except Exception:  # the thread serves all chats of the process
                logger.exception("chunks not read")
                time.sleep(PAUSE_SECONDS)

    def read_once(self) -> None:
        """Wait for entries, hand them out, and drop from the stream what was read before."""
        with self._client.pipeline(transaction=False) as calls:
            calls.xtrim(self.stream, minid=_after(self._last), approximate=False)
            calls.xread({self.stream: self._last}, count=500, block=BLOCK_MS)
            _, streams = calls.execute()
        self._away_since = None
        for _, entries in streams or ():
            for entry_id, fields in entries:
                self._last = entry_id.decode()
                self._deliver(fields)

    def _deliver(self, fields: dict[bytes, bytes]) -> None:
        id = UUID(bytes=fields[b"chat"])
        with self._lock:
            inbox = self._inboxes.get(id)
        if inbox is not None:
            inbox.put(self._message(id, fields))

    def _message(self, id: UUID, fields: dict[bytes, bytes]) -> RelayMessage:
        what = fields[b"what"]
        if what == b"claimed":
            return ClaimNotice(UUID(fields[b"node"].decode()), int(fields[b"fence"]))
        if what != b"batch":
            return LossNotice(what.decode())
        body = fields[b"body"]
        try:
            batch = self._channel.opened(id, int(fields[b"seq"]), body)
        except Unreadable:
            return LossNotice("unreadable")
        return ChunkBatch(batch["data"], batch["done"], batch["usage"], batch["error"], len(body))

    def _missed(self) -> None:
        """Redis did not answer: when that lasts, no chat of this process can go on."""
        now = self._clock()
        if self._away_since is None:
            self._away_since = now
        if now - self._away_since < AWAY_SECONDS:
            return
        with self._lock:
            waiting = list(self._inboxes.values())
        for inbox in waiting:
            inbox.put(LossNotice("redis_away"))


def connect(url: str) -> "redis.Redis":
    """A client for the thread that reads."""
    return clients.client(
        url, socket_timeout=BLOCK_MS / 1000 + 5, socket_connect_timeout=0.5, retry=None
    )


def _after(entry_id: str) -> str:
    """The least id beyond this one."""
    milliseconds, _, number = entry_id.partition("-")
    return f"{milliseconds}-{int(number or 0) + 1}"
