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

from app.core.limits import Breaker

FAILURES: Final = 3
OPEN_SECONDS: Final = 15.0
LONGEST_OPEN_SECONDS: Final = 300.0
_PROBE_SECONDS: Final = 30.0  # how long one caller alone may try; longer than any call
_MEMORY_SECONDS: Final = 900.0  # failures further apart than this are not in a row

_NOT_NOW = -1

# Keys: open, failures, probe, slot (the next free moment in ms). Redis's own clock.
_ENTER = """
if redis.call('EXISTS', KEYS[1]) == 1 then return -1 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local slot = math.max(tonumber(redis.call('GET', KEYS[4]) or '0'), now)
local gap, patience = tonumber(ARGV[1]), tonumber(ARGV[2])
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

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._enter: Any = client.register_script(_ENTER)
        self._failed: Any = client.register_script(_FAILED)
        self._breaker, self._memory = Breaker("circuits"), _Memory()

    def enter(self, name: str, gap_seconds: float, patience_seconds: float) -> float | None:
        """Take the next turn: seconds to wait for it. None, and no turn, when the circuit is open
        or the turn would come after `patience_seconds`."""
        limits = [_ms(gap_seconds), _ms(patience_seconds), FAILURES, _ms(_PROBE_SECONDS)]
        wait = self._breaker.ask(lambda: int(self._enter(keys=_keys(name), args=limits)))
        if wait is None:
            return self._memory.enter(name, gap_seconds, patience_seconds)
        return None if wait == _NOT_NOW else wait / 1000

    def succeeded(self, name: str) -> None:
        """The service is well: its failures are forgotten."""
        _, failures, probe, _ = _keys(name)
        self._breaker.ask(lambda: self._redis.delete(failures, probe))
        self._memory.succeeded(name)

    def failed(self, name: str, pause_seconds: float | None = None) -> None:
        """One more failure; `pause_seconds` (Retry-After) is how long nobody calls at least."""
        pauses = [_ms(pause_seconds or 0), FAILURES, _ms(OPEN_SECONDS), _ms(LONGEST_OPEN_SECONDS)]
        args = [*pauses, _ms(_MEMORY_SECONDS)]
        if self._breaker.ask(lambda: self._failed(keys=_keys(name), args=args)) is None:
            self._memory.failed(name, pause_seconds or 0.0)


def _keys(name: str) -> list[str]:
    return [f"circuit:{{{name}}}:{part}" for part in ("open", "failures", "probe", "slot")]


def _ms(seconds: float) -> int:
    return math.ceil(seconds * 1000)


@dataclass(slots=True)
class _State:
    """Moments by time.monotonic()."""

    open_until: float = 0.0
    failures: int = 0
    probe_until: float = 0.0
    slot: float = 0.0


class _Memory:
    """The same rules for this process alone, for while Redis is away."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[str, _State] = {}

    def enter(self, name: str, gap_seconds: float, patience_seconds: float) -> float | None:
        now = time.monotonic()
        with self._lock:
            state = self._states.setdefault(name, _State())
            slot = max(state.slot, now)
            if now < state.open_until or slot - now > patience_seconds:
                return None
            if state.failures >= FAILURES:
                if now < state.probe_until:
                    return None
                state.probe_until = now + _PROBE_SECONDS
            state.slot = slot + gap_seconds
            return slot - now

    def succeeded(self, name: str) -> None:
        with self._lock:
            state = self._states.setdefault(name, _State())
            state.failures, state.probe_until = 0, 0.0

    def failed(self, name: str, pause_seconds: float) -> None:
        with self._lock:
            state = self._states.setdefault(name, _State())
            state.failures, state.probe_until = state.failures + 1, 0.0
            if (beyond := state.failures - FAILURES) >= 0:
                doubled = OPEN_SECONDS * 2 ** min(20, beyond)
                pause_seconds = max(pause_seconds, min(doubled, LONGEST_OPEN_SECONDS))
            if pause_seconds:
                state.open_until = time.monotonic() + pause_seconds
