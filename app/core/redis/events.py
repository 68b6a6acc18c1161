"""Callers that wait for a job hear at once that it moved. A hint: Redis may be down.

Waiters re-read the row when they are woken, and every `POLL_SECONDS` in any case.
"""

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from uuid import UUID

import redis

from app.core import metrics
from app.core.redis import clients
from app.core.redis.guard import AWAY_SECONDS, RedisGuard

CHANNEL = "citegrid:jobs"
POLL_SECONDS = 0.5


def connect(url: str) -> redis.Redis:
    """A client that gives up quickly: nothing here is worth waiting for."""
    return clients.client(
        url, socket_timeout=1.0, socket_connect_timeout=0.5, retry=None, health_check_interval=10
    )


class Publisher:
    """Says that jobs moved; silent for a second after Redis was found away."""

    def __init__(self, client: redis.Redis, clock: Callable[[], float] = time.monotonic) -> None:
        self._client, self._guard = client, RedisGuard("events", clock)

    def moved(self, ids: Iterable[UUID]) -> None:
        if packed := b"".join(id.bytes for id in ids):
            self._guard.ask(lambda: self._client.publish(CHANNEL, packed))


def listen(client: redis.Redis, channel: str, hear: Callable[[bytes], None], use: str) -> None:
    """Let `hear` have every message of a channel, for ever: call it in a thread of its own.

    What is said while Redis is away nobody hears; `use` names us in the metric that counts it.
    """
    while True:
        try:
            subscribing = client.pubsub  # untyped in redis-py
            with subscribing(ignore_subscribe_messages=True) as subscription:  # type: ignore[no-untyped-call]
                subscription.subscribe(channel)
                while True:
                    message = subscription.get_message(timeout=5.0)
                    if message is not None:
                        hear(message["data"])
        except (redis.RedisError, OSError):
            metrics.redis_away.labels(use).inc()
            time.sleep(AWAY_SECONDS)


class Listener:
    """Wakes the threads of this process that wait for a job. One subscription per process."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._waiting: dict[UUID, set[threading.Event]] = defaultdict(set)
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def watching(self, id: UUID) -> Iterator[threading.Event]:
        """An event that is set whenever the job moves; read the row after entering."""
        event = threading.Event()
        with self._lock:
            self._waiting[id].add(event)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=listen,
                    args=(self._client, CHANNEL, self._wake, "listener"),
                    name="events",
                    daemon=True,
                )
                self._thread.start()
        try:
            yield event
        finally:
            with self._lock:
                self._waiting[id].discard(event)
                if not self._waiting[id]:
                    del self._waiting[id]

    def _wake(self, packed: bytes) -> None:
        with self._lock:
            for at in range(0, len(packed) - 15, 16):
                for event in self._waiting.get(UUID(bytes=packed[at : at + 16]), ()):
                    event.set()
