"""Rights that the database refused a process: counted, and kept some days for `doctor`."""

from typing import Any, Final

import redis

from app.core import metrics
from app.core.redis.guard import RedisGuard

KEPT_SECONDS: Final = 7 * 86_400
"""After the last one."""
MOST_SHOWN: Final = 100
_KEY: Final = "refused-rights"


class RefusedRights:
    """One per process. What is refused while Redis is away is only logged and counted."""

    def __init__(self, client: "redis.Redis") -> None:
        self._client, self._guard = client, RedisGuard("refused rights")

    def add(self, role: str, problem: str) -> None:
        metrics.rights_refused.labels(role).inc()
        self._guard.ask(lambda: self._add(f"{role}: {problem}"))

    def _add(self, refusal: str) -> None:
        with self._client.pipeline() as calls:
            calls.hincrby(_KEY, refusal, 1)
            calls.expire(_KEY, KEPT_SECONDS)
            calls.execute()


def counted(client: "redis.Redis") -> dict[str, int]:
    """Counts of the refusals, by role and problem. Raises redis.RedisError."""
    found: Any = client.hgetall(_KEY)
    return {_text(refusal): int(times) for refusal, times in sorted(found.items())[:MOST_SHOWN]}


def _text(value: "str | bytes") -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
