"""A proxy in front that TRUSTED_PROXIES does not count: seen in requests, told to the operator.

All callers behind it have one address then, so they share one limit and one log entry.
"""

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import redis

from app.core import log
from app.core.redis.guard import RedisGuard

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

logger = log.get(__name__)

HEADERS: Final = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_VIA")
REPEAT_SECONDS: Final = 3600.0
KEPT_SECONDS: Final = 86_400
KEY: Final = "proxies:uncounted"


class UncountedProxies:
    """Around the application: logs once per process, and leaves a note for `doctor`."""

    def __init__(self, application: "WSGIApplication", client: "redis.Redis") -> None:
        self._application, self._redis = application, client
        self._guard = RedisGuard("proxies")
        self._logged, self._noted_until = False, 0.0

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        if any(name in environ for name in HEADERS):
            self._notice()
        return self._application(environ, start_response)

    def _notice(self) -> None:
        if not self._logged:
            self._logged = True
            logger.warning(
                "a proxy forwards requests",
                hint="set TRUSTED_PROXIES to the number of proxies in front",
            )
        if (now := time.monotonic()) >= self._noted_until:
            self._noted_until = now + REPEAT_SECONDS
            self._guard.ask(lambda: self._redis.set(KEY, 1, ex=KEPT_SECONDS))


def were_noticed(client: "redis.Redis") -> bool:
    """True if any process noticed one within a day. Raises RedisError."""
    return bool(client.exists(KEY))
