"""Redis is optional for whatever asks it through here: while it is away, callers do without."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

import redis

from app.core import metrics
from app.core.breaker import Breaker

AWAY_SECONDS: Final = 1.0

Answer = TypeVar("Answer")


class RedisGuard:
    """Asks Redis, and after a failure leaves it alone for a second; then one caller tries again."""

    def __init__(self, use: str, clock: Callable[[], float] = time.monotonic) -> None:
        """`use` names the purpose in the metric of calls done without Redis."""
        self._use = use
        self._breaker = Breaker(1, AWAY_SECONDS, probe_seconds=AWAY_SECONDS, clock=clock)

    def ask(self, call: Callable[[], Answer]) -> Answer | None:
        """Returns what `call` returns, or None while Redis is away."""
        if not self._breaker.admits():
            return None
        try:
            answer = call()
        except redis.RedisError:
            self._breaker.failed()
            metrics.redis_away.labels(self._use).inc()
            return None
        self._breaker.worked()
        return answer
