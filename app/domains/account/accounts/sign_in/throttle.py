"""Guessing passwords gets slower and slower; nobody is ever locked out (OWASP ASVS 6.3.1).

An attempt counts before it is checked, so that a hundred at once are a hundred; success takes it
back. Three counters, each with its free attempts and then a doubling delay: the account from one
network, all accounts from one network, the account from everywhere. The last one's delay stays
short: it also meets the owner.
"""

import hashlib
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import redis

from app.core.errors import RateLimited
from app.core.redis.guard import RedisGuard
from app.core.redis.limits import network

MOST_COUNTERS: Final = 50_000


class Rule(NamedTuple):
    """Free attempts; seconds after the last one until all is forgotten; longest delay (s)."""

    free: int
    memory: int
    longest: int


RULES: Final = (Rule(5, 900, 900), Rule(50, 3600, 300), Rule(100, 86400, 30))

# A counter is a hash {n, until in microseconds}. Either every counter lets the attempt pass and
# counts it, or none does. Redis's clock, since those of the web machines may differ; a wait beyond
# the longest is of a clock that was set back.
_BEGIN = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local wait = 0
for i, key in ipairs(KEYS) do
    local left = tonumber(redis.call('HGET', key, 'until') or '0') - now
    if left <= ARGV[3 * i] * 1000000 then wait = math.max(wait, left) end
end
if wait > 0 then return math.ceil(wait / 1000000) end
for i, key in ipairs(KEYS) do
    local free, memory, longest = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
    local excess = redis.call('HINCRBY', key, 'n', 1) - free
    if excess > 0 then
        local till = now + math.min(longest, 2 ^ excess) * 1000000
        redis.call('HSET', key, 'until', string.format('%.0f', till))
    end
    redis.call('EXPIRE', key, memory)
end
return 0
"""

_SUCCEED = """
redis.call('DEL', KEYS[1])
for i = 2, #KEYS do
    if redis.call('EXISTS', KEYS[i]) == 1 then
        redis.call('HINCRBY', KEYS[i], 'n', -1)
        redis.call('HDEL', KEYS[i], 'until')
    end
end
return 0
"""


class Throttle:
    """One per process; shares its counters through Redis, counts alone while Redis is away."""

    def __init__(self, client: "redis.Redis") -> None:
        self._begin: Any = client.register_script(_BEGIN)
        self._succeed: Any = client.register_script(_SUCCEED)
        self._redis, self._memory = RedisGuard("sign-in"), _Memory()

    @contextmanager
    def attempt(self, email: str, address: str) -> Iterator[None]:
        """Around one sign-in: an exception in it is a failure. Raises RateLimited (429)."""
        counters = _counters(email, address)
        if wait := self._wait(counters):
            raise RateLimited(retry_after=wait)
        yield
        self._redis.ask(lambda: self._succeed(keys=counters))
        self._memory.succeed(counters)

    def _wait(self, counters: list[str]) -> int:
        """Seconds, rounded up, until the next attempt may be made; 0 when this one may."""
        numbers = [number for rule in RULES for number in rule]
        wait = self._redis.ask(lambda: self._begin(keys=counters, args=numbers))
        return self._memory.begin(counters) if wait is None else int(wait)


def _counters(email: str, address: str) -> list[str]:
    """Redis holds no address of a person in clear."""
    account = hashlib.sha256(email.lower().encode()).hexdigest()[:32]
    origin = network(address, v4_bits=24, v6_bits=48)
    names = (f"{account}:{origin}", network(address), account)
    return [f"sign-in:{name}" for name in names]


@dataclass(slots=True)
class _Counter:
    n: int = 0
    until: float = 0.0
    forgotten: float = 0.0


class _Memory:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: dict[str, _Counter] = {}

    def begin(self, names: list[str]) -> int:
        now = time.monotonic()
        with self._lock:
            found = [self._counter(name, now) for name in names]
            wait = max(counter.until - now for counter in found)
            if wait > 0:
                return math.ceil(wait)
            for counter, rule in zip(found, RULES, strict=True):
                counter.n += 1
                counter.forgotten = now + rule.memory
                excess = counter.n - rule.free
                if excess > 0:
                    counter.until = now + min(rule.longest, 2 ** min(excess, 20))
        return 0

    def _counter(self, name: str, now: float) -> _Counter:
        counter = self._counters.get(name)
        if counter is None or counter.forgotten <= now:
            if len(self._counters) >= MOST_COUNTERS:
                self._counters.clear()
            counter = self._counters[name] = _Counter()
        return counter

    def succeed(self, names: list[str]) -> None:
        with self._lock:
            self._counters.pop(names[0], None)
            for name in names[1:]:
                if counter := self._counters.get(name):
                    counter.n, counter.until = max(0, counter.n - 1), 0.0
