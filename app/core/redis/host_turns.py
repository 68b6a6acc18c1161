"""Turns at a host for all processes together, kept in Redis."""

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Protocol

from redis import Redis
from redis.exceptions import RedisError, WatchError

_POLL_SECONDS: Final = 0.1
_LEASE_SECONDS: Final = 60.0
_ATTEMPTS: Final = 3

logger = logging.getLogger(__name__)


class Gate(Protocol):
    """The gate that takes over while Redis is away (as `app.engine.fetch.HostGate`)."""

    def turn(
        self, host: str, gap_seconds: float, deadline: float
    ) -> AbstractContextManager[None]: ...

    def defer(self, host: str, seconds: float) -> None: ...


class RedisHostGate:
    """One request at a time to a host and a rest after it, over all processes.

    Two keys for each host: a lock with a token that dies after `lease_seconds`, which must be
    longer than any request, and a mark that lives as long as the host rests. Lifetimes are
    Redis's own, so clocks of machines never meet. While Redis is away, `fallback` paces this
    process alone.
    """

    def __init__(
        self, redis: Redis, fallback: Gate, *, lease_seconds: float = _LEASE_SECONDS
    ) -> None:
        self._redis = redis
        self._fallback = fallback
        self._lease_ms = _milliseconds(lease_seconds)

    @contextmanager
    def turn(self, host: str, gap_seconds: float, deadline: float) -> Iterator[None]:
        """Wait for the turn; `deadline` is a time.monotonic() moment. Raises TimeoutError."""
        token = secrets.token_hex(16)
        try:
            self._take(host, token, deadline)
        except RedisError:
            logger.warning("redis is away: pacing within this process only", exc_info=True)
            with self._fallback.turn(host, gap_seconds, deadline):
                yield
            return
        try:
            yield
        finally:
            self._give_back(host, token, gap_seconds)

    def defer(self, host: str, seconds: float) -> None:
        """Let the host rest for at least `seconds` from now."""
        try:
            self._change(host, None, _milliseconds(seconds))
        except RedisError:
            logger.warning("redis is away: resting within this process only", exc_info=True)
            self._fallback.defer(host, seconds)

    def rest_seconds(self, host: str) -> float:
        """The time for which the host still rests; 0 while Redis is away."""
        try:
            return max(0.0, int(self._redis.pttl(_rest(host))) / 1000)
        except RedisError:
            return 0.0

    def _take(self, host: str, token: str, deadline: float) -> None:
        while (wait := self._seconds_to_wait(host, token)) > 0:
            # A rest that outlasts the deadline is known now; do not wait for it.
            if time.monotonic() + wait > deadline:
                raise TimeoutError
            time.sleep(min(wait, _POLL_SECONDS))

    def _seconds_to_wait(self, host: str, token: str) -> float:
        """0 once the turn is ours. The rest is looked at with the lock in hand, so that nobody
        can take a turn in between."""
        if not self._redis.set(_lock(host), token, nx=True, px=self._lease_ms):
            return _POLL_SECONDS
        rest_ms = self._redis.pttl(_rest(host))
        if rest_ms <= 0:
            return 0.0
        self._change(host, token, 0)
        return rest_ms / 1000

    def _give_back(self, host: str, token: str, gap_seconds: float) -> None:
        try:
            self._change(host, token, _milliseconds(gap_seconds))
        except RedisError:
            logger.warning("redis is away: the turn ends with its lease", exc_info=True)

    def _change(self, host: str, token: str | None, rest_ms: int) -> None:
        """Lengthen the rest, never shorten it, and drop the lock if it is still `token`'s."""
        for _ in range(_ATTEMPTS):
            with self._redis.pipeline() as pipeline:
                try:
                    self._attempt(pipeline, host, token, rest_ms)
                except WatchError:
                    continue
                return
        raise WatchError(f"{host}: too much contention")

    def _attempt(self, pipeline: Any, host: str, token: str | None, rest_ms: int) -> None:
        pipeline.watch(_lock(host), _rest(host))
        holder = pipeline.get(_lock(host))
        longer = rest_ms > pipeline.pttl(_rest(host))
        pipeline.multi()
        if longer and rest_ms > 0:
            pipeline.set(_rest(host), 1, px=rest_ms)
        if token is not None and _text(holder) == token:
            pipeline.delete(_lock(host))
        pipeline.execute()


def _lock(host: str) -> str:
    return f"hostgate:{{{host}}}:lock"


def _rest(host: str) -> str:
    return f"hostgate:{{{host}}}:rest"


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def _text(value: bytes | str | None) -> str | None:
    return value.decode() if isinstance(value, bytes) else value
