"""Rate limits per credential, or per address without one.

The generic cell rate algorithm (ITU-T I.371, the virtual-scheduling form): a bucket is one number,
the moment at which it is whole again. A quota of q in w seconds may be spent at once and refills
evenly. Why not the `limits` library: it tells the outcome of a hit and what is left in two round
trips to Redis (126 us over loopback, with a sliding window counter); this takes one (61 us).
"""

import ipaddress
import math
import re
import threading
import time
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.core.config.settings import BadConfiguration, Settings
from app.core.errors import RateLimited
from app.core.redis import clients
from app.core.redis.guard import RedisGuard

MOST_BUCKETS: Final = 50_000

_POLICY = re.compile(r"([1-9][0-9]{0,6})/(second|minute|hour|day)", re.ASCII)
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


def connect(url: str) -> "redis.Redis":
    """A client that costs a request at most 0.2 s when Redis is dead or silent."""
    return clients.client(
        url, socket_timeout=0.1, socket_connect_timeout=0.1, retry=Retry(NoBackoff(), 0)
    )


def network(address: str, *, v4_bits: int = 32, v6_bits: int = 64) -> str:
    """The network an address is counted with; a customer of an IPv6 provider holds a whole /64."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    bits = v4_bits if ip.version == 4 else v6_bits
    return str(ipaddress.ip_network((ip, bits), strict=False))


@dataclass(frozen=True, slots=True)
class RatePolicy:
    """`quota` requests in `window` seconds."""

    name: str
    quota: int
    window: int

    @classmethod
    def parse(cls, name: str, text: str) -> "RatePolicy":
        """`300/minute`, of second, minute, hour, day. Raises BadConfiguration."""
        match = _POLICY.fullmatch(text)
        if match is None:
            raise BadConfiguration(
                f"Configuration: RATE_LIMIT_{name.upper()}: must look like 300/minute"
            )
        return cls(name, int(match[1]), _SECONDS[match[2]])


class LimitOutcome(NamedTuple):
    """The outcome of one request; times in microseconds.

    `wait` is until the next request may come when there is none left, else until the bucket is
    whole again.
    """

    allowed: int
    left: int
    wait: int


# Redis's own clock: those of the web machines may differ. %.0f, as Lua would print 1.7e+15.
# A bucket that takes longer than the window to be whole is of another limit, or of a clock that was
# set back: who waits for it would wait for a day where a minute is configured.
_SPEND = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local window, interval = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = tonumber(redis.call('GET', KEYS[1]) or '0')
if kept > now + window then kept = 0 end
local whole = math.max(kept, now) + interval
local spare = window - (whole - now)
if spare < 0 then return {0, 0, -spare} end
redis.call('SET', KEYS[1], string.format('%.0f', whole), 'PX', math.ceil((whole - now) / 1000))
local left = math.floor(spare / interval)
if left == 0 then return {1, 0, interval - spare} end
return {1, left, whole - now}
"""


class _Memory:
    """The same buckets in this process, for while Redis is away."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._whole: dict[str, int] = {}

    def spend(self, bucket: str, window: int, interval: int) -> LimitOutcome:
        now = time.monotonic_ns() // 1000
        with self._lock:
            whole = max(self._whole.get(bucket, 0), now) + interval
            spare = window - (whole - now)
            if spare < 0:
                return LimitOutcome(0, 0, -spare)
            if len(self._whole) >= MOST_BUCKETS:
                self._shrink(now)
            self._whole[bucket] = whole
        left = spare // interval
        return LimitOutcome(1, left, whole - now if left else interval - spare)

    def _shrink(self, now: int) -> None:
        self._whole = {bucket: whole for bucket, whole in self._whole.items() if whole > now}
        if len(self._whole) >= MOST_BUCKETS:
            self._whole.clear()


class Limiter:
    """Counts requests by policy and key. One per process; one round trip to Redis per request."""

    def __init__(self, settings: Settings, client: "redis.Redis") -> None:
        """Raises BadConfiguration for a limit that is not like `300/minute`."""
        texts = {
            "write": settings.rate_limit_write,
            "read": settings.rate_limit_read,
            "anonymous": settings.rate_limit_anonymous,
            "node": settings.rate_limit_node,
        }
        self._policies = {name: RatePolicy.parse(name, text) for name, text in texts.items()}
        self._script: Any = client.register_script(_SPEND)
        self._redis, self._memory = RedisGuard("limits"), _Memory()

    def check(self, policy: str, key: str) -> dict[str, str]:
        """Count one request; returns the headers of its answer. Raises RateLimited with the same.

        `policy` is write, read, node or anonymous; `key` is the credential's id, or the address for
        anonymous. `draft-ietf-httpapi-ratelimit-headers-11`: `t` is the seconds until the quota is
        whole again, or until the next request may come when none is left.
        """
        rule = self._policies[policy]
        spent = self._spend(rule, network(key) if policy == "anonymous" else key)
        seconds = max(1, math.ceil(spent.wait / 1_000_000))
        headers = {
            "RateLimit-Policy": f'"{policy}";q={rule.quota};w={rule.window}',
            "RateLimit": f'"{policy}";r={spent.left};t={seconds}',
        }
        if not spent.allowed:
            raise RateLimited(headers=headers, retry_after=seconds)
        return headers

    def _spend(self, rule: RatePolicy, key: str) -> LimitOutcome:
        bucket = f"limit:{rule.name}:{key}"
        window = rule.window * 1_000_000
        # Whole, so that the quota always fits into the window; more than a million a second is
        # what sets no limit.
        interval = max(1, window // rule.quota)
        spent = self._redis.ask(lambda: self._script(keys=[bucket], args=[window, interval]))
        return LimitOutcome(*spent) if spent else self._memory.spend(bucket, window, interval)
