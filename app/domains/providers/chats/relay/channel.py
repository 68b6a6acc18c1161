"""The channel between processes for a chat, by Redis: the prompt, and the node's batches.

W1 holds the client's request, W2 answers the node. Prompt and answer are sealed, and go when they
are read: a prompt after 60 s at the latest, a batch with the next read of W1. Postgres has neither.
"""

import enum
from typing import Any, Final, NamedTuple
from uuid import UUID

import orjson
import redis

from app.core import untrusted_json
from app.core.redis import clients
from app.core.vault import Unreadable, Vault

PROMPT_SECONDS: Final = 60
CHAT_SECONDS: Final = 700
ENDED_SECONDS: Final = 60
STREAM_SECONDS: Final = 900
MOST_ENTRIES: Final = 20_000
RENEW_MS: Final = 8_000
"""A lease is renewed by the first batch that comes so long after the last renewal."""
FIRST_RENEW_MS: Final = 3_000
"""The same after the claim, whose lease is shorter."""


class Push(enum.Enum):
    KEPT = b"kept"
    REPEATED = b"repeated"
    GAP = b"gap"
    LOST = b"lost"


class PushOutcome(NamedTuple):
    """`stop`: nobody wants more of this answer. `renew`: it is time to renew the lease, which a
    chat that has ended has no more."""

    outcome: Push
    stop: bool
    renew: bool


# Streams are named by what the chat's own key holds: which process waits for it.
# A claim that is repeated gets the same lease, which began with the first.
_CLAIM: Final = """
local chat = redis.call('HMGET', KEYS[1], 'stream', 'fence')
if not chat[1] then return false end
if chat[2] ~= ARGV[2] then
    local clock = redis.call('TIME')
    local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
    redis.call('HSET', KEYS[1], 'node', ARGV[1], 'fence', ARGV[2],
               'renewed', string.format('%.0f', now - ARGV[5]))
end
redis.call('XADD', chat[1], '*', 'chat', ARGV[3], 'what', 'claimed',
           'node', ARGV[1], 'fence', ARGV[2])
redis.call('EXPIRE', chat[1], ARGV[4])
return redis.call('GET', KEYS[2])
"""
_PUSH: Final = """
local chat = redis.call('HMGET', KEYS[1], 'stream', 'node', 'fence', 'next', 'stop', 'renewed')
if not chat[1] or chat[2] ~= ARGV[1] or chat[3] ~= ARGV[2] then return {'lost', 0, 0} end
local given, expected, stop = tonumber(ARGV[3]), tonumber(chat[4]), tonumber(chat[5])
if given < expected then return {'repeated', stop, 0} end
if given > expected then
    redis.call('XADD', chat[1], '*', 'chat', ARGV[4], 'what', 'gap')
    return {'gap', stop, 0}
end
redis.call('HSET', KEYS[1], 'next', expected + 1)
if given == 0 then redis.call('DEL', KEYS[2]) end
if stop == 0 then
    redis.call('XADD', chat[1], 'MAXLEN', '~', ARGV[6], '*',
               'chat', ARGV[4], 'what', 'batch', 'seq', ARGV[3], 'body', ARGV[5])
    redis.call('EXPIRE', chat[1], ARGV[7])
end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if stop ~= 0 or now - tonumber(chat[6]) < tonumber(ARGV[8]) then return {'kept', stop, 0} end
redis.call('HSET', KEYS[1], 'renewed', string.format('%.0f', now))
return {'kept', stop, 1}
"""


def connect(url: str) -> "redis.Redis":
    """A client for one round trip of a chat: Redis away is an error of the chat, at once."""
    return clients.client(url, socket_timeout=2.0, socket_connect_timeout=0.5, retry=None)


class Channel:
    """Raises redis.RedisError while Redis is away."""

    def __init__(self, client: "redis.Redis", vault: Vault) -> None:
        self._client, self._vault = client, vault
        self._claim: Any = client.register_script(_CLAIM)
        self._push: Any = client.register_script(_PUSH)

    # W1

    def open(self, id: UUID, stream: str, request: dict[str, Any]) -> None:
        """Have a request ready for the node that claims the chat, before it can."""
        fields: dict[str | bytes, str | int] = {
            "stream": stream,
            "next": 0,
            "stop": 0,
            "renewed": 0,
        }
        sealed = self._vault.seal(untrusted_json.dumps(request), id.bytes)
        with self._client.pipeline(transaction=False) as calls:
            calls.hset(_chat(id), mapping=fields)  # type: ignore[arg-type]
            calls.expire(_chat(id), CHAT_SECONDS)
            calls.set(_prompt(id), sealed, ex=PROMPT_SECONDS)
            calls.execute()

    def close(self, id: UUID) -> None:
        """The chat has ended: its node hears so with its next batch."""
        with self._client.pipeline(transaction=False) as calls:
            calls.delete(_prompt(id))
            calls.hset(_chat(id), "stop", 1)
            calls.expire(_chat(id), ENDED_SECONDS)
            calls.execute()

    def knows(self, id: UUID) -> bool:
        """True if Redis still has the chat: it may have been emptied."""
        return bool(self._client.exists(_chat(id)))

    # W2

    def hand_over(self, id: UUID, node_id: UUID, fence: int) -> dict[str, Any] | None:
        """The request, for the node that has claimed the chat. None: it is gone."""
        keys = [_chat(id), _prompt(id)]
        sealed = self._claim(
            keys=keys,
            args=[str(node_id), fence, id.bytes, STREAM_SECONDS, RENEW_MS - FIRST_RENEW_MS],
        )
        if not sealed:
            return None
        try:
            request: dict[str, Any] = orjson.loads(self._vault.open(sealed, id.bytes))
        except Unreadable:
            return None
        return request

    def push(
        self, id: UUID, node_id: UUID, fence: int, seq: int, batch: dict[str, Any]
    ) -> PushOutcome:
        """Pass a batch on to the process that waits for it."""
        body = self._vault.seal(untrusted_json.dumps(batch), _batch(id, seq))
        outcome, stop, renew = self._push(
            keys=[_chat(id), _prompt(id)],
            args=[str(node_id), fence, seq, id.bytes, body, MOST_ENTRIES, STREAM_SECONDS, RENEW_MS],
        )
        return PushOutcome(Push(outcome), bool(stop), bool(renew))

    def opened(self, id: UUID, seq: int, body: bytes) -> dict[str, Any]:
        """A batch as it was pushed. Raises Unreadable."""
        batch: dict[str, Any] = orjson.loads(self._vault.open(body, _batch(id, seq)))
        return batch


def _chat(id: UUID) -> str:
    return f"chat:{id}"


def _prompt(id: UUID) -> str:
    return f"prompt:{id}"


def _batch(id: UUID, seq: int) -> bytes:
    """The context that a sealed batch is bound to."""
    return id.bytes + seq.to_bytes(8, "big")
