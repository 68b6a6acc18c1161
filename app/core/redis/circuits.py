"""Pace and health of outside services, for all processes together: who may call, and when.

A service gets its calls a gap apart. After `FAILURES` failures in a row its circuit opens: nobody
calls for a while, then one caller tries (half open), and a further failure doubles the while.
A service that says how long it wants to be left alone is. Kept in Redis; while Redis is away each
process keeps its own books.
"""

import math
import threading
import time
from dataclasses import dataclass
from typing import Any, Final

import redis

from app.core.breaker import FAILURES, Breaker
from app.core.redis.guard import RedisGuard

OPEN_SECONDS: Final = 15.0
LONGEST_OPEN_SECONDS: Final = 300.0
_PROBE_SECONDS: Final = 30.0  # how long one caller alone may try; longer than any call
_MEMORY_SECONDS: Final = 900.0  # failures further apart than this are not in a row

_NOT_NOW = -1

# Keys: open, failures, probe, slot (the next free moment in ms). Redis's own clock; a slot beyond
# the longest pause is of a clock that was set back.
_ENTER = """
if redis.call('EXISTS', KEYS[1]) == 1 then return -1 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local slot = math.max(tonumber(redis.call('GET', KEYS[4]) or '0'), now)
local gap, patience = tonumber(ARGV[1]), tonumber(ARGV[2])
if slot - now > tonumber(ARGV[5]) then slot = now end
if slot - now > patience then return -1 end
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[3])
   and not redis.call('SET', KEYS[3], 1, 'NX', 'PX', ARGV[4]) then return -1 end
if gap > 0 then
    redis.call('SET', KEYS[4], string.format('%.0f', slot + gap), 'PX', slot + gap - now)
end
return slot - now
"""

_FAILED = """
local failures = redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('DEL', KEYS[3])
local pause = tonumber(ARGV[1])
if failures >= tonumber(ARGV[2]) then
    local doubled = tonumber(ARGV[3]) * 2 ^ math.min(20, failures - tonumber(ARGV[2]))
    pause = math.max(pause, math.min(doubled, tonumber(ARGV[4])))
end
if pause > 0 then redis.call('SET', KEYS[1], 1, 'PX', string.format('%.0f', pause)) end
return 1
"""


class Circuits:
    """One per process; threads share it. One round trip to Redis per call."""

    def __init__(self, client: redis.Redis, fair_seconds: float = 0.0) -> None:
        """`fair_seconds` is how long a call must have been given for its timeout to count."""
        self._redis, self._fair = client, fair_seconds
        self._enter: Any = client.register_script(_ENTER)
        self._failed: Any = client.register_script(_FAILED)
        self._guard, self._memory = RedisGuard("circuits"), _Memory()

    def enter(self, name: str, gap_seconds: float, patience_seconds: float) -> float | None:
        """Take the next turn: seconds to wait for it. None, and no turn, when the circuit is open
        or the turn would come after `patience_seconds`."""
        limits = [_ms(gap_seconds), _ms(patience_seconds), FAILURES, _ms(_PROBE_SECONDS)]
        args = [*limits, _ms(LONGEST_OPEN_SECONDS)]
        wait = self._guard.ask(lambda: int(self._enter(keys=_keys(name), args=args)))
        if wait is None:
            return self._memory.enter(name, gap_seconds, patience_seconds)
        return None if wait == _NOT_NOW else wait / 1000

    def succeeded(self, name: str) -> None:
        _, failures, probe, _ = _keys(name)
        self._guard.ask(lambda: self._redis.delete(failures, probe))
        self._memory.breaker(name).worked()

    def failed(self, name: str, pause_seconds: float | None = None) -> None:
        """One more failure; `pause_seconds` (Retry-After) is how long nobody calls at least."""
        pauses = [_ms(pause_seconds or 0), FAILURES, _ms(OPEN_SECONDS), _ms(LONGEST_OPEN_SECONDS)]
        args = [*pauses, _ms(_MEMORY_SECONDS)]
        if self._guard.ask(lambda: self._failed(keys=_keys(name), args=args)) is None:
            self._memory.breaker(name).failed(pause_seconds)

    def timed_out(self, name: str, seconds: float) -> None:
        """It did not answer within `seconds`: a failure if that was a fair time."""
        if seconds >= self._fair:
            self.failed(name)
        else:
            self.undecided(name)

    def undecided(self, name: str) -> None:
        """The call says nothing about the service: another caller may try."""
        _, _, probe, _ = _keys(name)
        self._guard.ask(lambda: self._redis.delete(probe))
        self._memory.breaker(name).undecided()


def _keys(name: str) -> list[str]:
    return [f"circuit:{{{name}}}:{part}" for part in ("open", "failures", "probe", "slot")]


def _ms(seconds: float) -> int:
    return math.ceil(seconds * 1000)


@dataclass(slots=True)
class _Circuit:
    """`slot` is the next free moment by time.monotonic()."""

    breaker: Breaker
    slot: float = 0.0


class _Memory:
    """The same rules for this process alone, for while Redis is away."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._circuits: dict[str, _Circuit] = {}

    def enter(self, name: str, gap_seconds: float, patience_seconds: float) -> float | None:
        with self._lock:
            circuit, now = self._circuit(name), time.monotonic()
            slot = max(circuit.slot, now)
            if slot - now > patience_seconds or not circuit.breaker.admits():
                return None
            circuit.slot = slot + gap_seconds
            return slot - now

    def breaker(self, name: str) -> Breaker:
        with self._lock:
            return self._circuit(name).breaker

    def _circuit(self, name: str) -> _Circuit:
        breaker = Breaker(
            FAILURES,
            OPEN_SECONDS,
            longest_seconds=LONGEST_OPEN_SECONDS,
            probe_seconds=_PROBE_SECONDS,
        )
        return self._circuits.setdefault(name, _Circuit(breaker))
