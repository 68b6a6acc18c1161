"""Offers that fail are passed over for a while, also the only one; then one request tries them.

In Redis, so that all processes know. While Redis is away none cools: failures still count in the
measured success.
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import redis

from app.core.redis.guard import RedisGuard

FIRST_SECONDS: Final = 15
LONGEST_SECONDS: Final = 600
IN_A_ROW: Final = 2
LEAST_RECENT: Final = 4
RECENT_SECONDS: Final = 60
PROBE_SECONDS: Final = 60
"""How long one request may take to try an offer, before another may."""
KEPT_SECONDS: Final = 1_800

# Fields: row (failures in a row), since/recent/failed (a window), level, until, probe.
_FAILED: Final = """
local now = tonumber(redis.call('TIME')[1])
local state = redis.call('HMGET', KEYS[1], 'row', 'since', 'recent', 'failed', 'level', 'until')
local row = tonumber(state[1] or '0') + 1
local since, recent = tonumber(state[2] or '0'), tonumber(state[3] or '0')
local failed = tonumber(state[4] or '0')
if now - since >= tonumber(ARGV[1]) then since, recent, failed = now, 0, 0 end
recent, failed = recent + 1, failed + 1
local level, ends = tonumber(state[5] or '0'), tonumber(state[6] or '0')
local trips = row >= tonumber(ARGV[2]) or (recent >= tonumber(ARGV[3]) and failed * 2 >= recent)
if ends <= now and (level > 0 or trips) then
    level = level + 1
    ends = now + math.min(tonumber(ARGV[5]), tonumber(ARGV[4]) * 2 ^ (level - 1))
end
redis.call('HSET', KEYS[1], 'row', row, 'since', since, 'recent', recent, 'failed', failed,
           'level', level, 'until', string.format('%.0f', ends), 'probe', 0)
redis.call('EXPIRE', KEYS[1], ARGV[6])
return level
"""
_WORKED: Final = """
local state = redis.call('HMGET', KEYS[1], 'since', 'recent')
if not state[1] then return 0 end
redis.call('HSET', KEYS[1], 'row', 0, 'level', 0, 'until', 0, 'probe', 0,
           'recent', tonumber(state[2] or '0') + 1)
return 1
"""
# Seconds until it may be tried: 0 now, by as many as like; -1 now, by one, and this is the one.
_LOOK: Final = """
local now = tonumber(redis.call('TIME')[1])
local state = redis.call('HMGET', KEYS[1], 'level', 'until', 'probe')
if tonumber(state[1] or '0') == 0 then return 0 end
local ends = math.max(tonumber(state[2]), tonumber(state[3] or '0'))
if ends > now then return ends - now end
if ARGV[1] == '1' then redis.call('HSET', KEYS[1], 'probe', now + tonumber(ARGV[2])) end
return -1
"""


class Cooldown:
    def __init__(self, client: "redis.Redis") -> None:
        self._client, self._guard = client, RedisGuard("cooling")
        self._failed: Any = client.register_script(_FAILED)
        self._worked: Any = client.register_script(_WORKED)
        self._look: Any = client.register_script(_LOOK)

    def failed(self, offer_id: UUID) -> None:
        """Two failures in a row, or half of at least four within a minute: it cools."""
        args = [
            RECENT_SECONDS,
            IN_A_ROW,
            LEAST_RECENT,
            FIRST_SECONDS,
            LONGEST_SECONDS,
            KEPT_SECONDS,
        ]
        self._guard.ask(lambda: self._failed(keys=[_key(offer_id)], args=args))

    def worked(self, offer_id: UUID) -> None:
        """It answered: whatever was held against it is over."""
        self._guard.ask(lambda: self._worked(keys=[_key(offer_id)]))

    def seconds_left(self, offers: Sequence[UUID]) -> list[int]:
        """For each, how long it still cools; 0 for one that may be used or tried."""
        return [max(0, int(left)) for left in self._guard.ask(lambda: self._ask(offers)) or ()] or [
            0
        ] * len(offers)

    def _ask(self, offers: Sequence[UUID]) -> list[Any]:
        with self._client.pipeline(transaction=False) as calls:
            for offer_id in offers:
                self._look(keys=[_key(offer_id)], args=["0", PROBE_SECONDS], client=calls)
            return list(calls.execute())

    def may_use(self, offer_id: UUID) -> bool:
        """True if this request may use it; of those that try a cooled one, the first may."""
        args = ["1", PROBE_SECONDS]
        left = self._guard.ask(lambda: self._look(keys=[_key(offer_id)], args=args))
        return int(left or 0) <= 0


def _key(offer_id: UUID) -> str:
    return f"cooling:{offer_id}"
