"""One chat, as the process follows it that holds the client's request: chunks, or why none come."""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.domains.providers.chats.relay.chunks import Chunk, Garbage, parse, usage
from app.domains.providers.chats.relay.inboxes import (
    ChunkBatch,
    ClaimNotice,
    Inbox,
    LossNotice,
    RelayMessage,
)
from app.domains.providers.chats.relay.tally import ChunkTally

MOST_BYTES: Final = 4 << 20
LOOK_SECONDS: Final = 1.0
REFUSALS: Final = frozenset({"backend_refused", "context_length_exceeded"})
"""What a backend found wrong with the request: no failure of the offer."""


class RelayFailed(Exception):
    """The answer does not go on. `why` is one of our words or of the node protocol's."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    @property
    def is_refusal(self) -> bool:
        return self.why in REFUSALS


@dataclass(frozen=True, slots=True)
class RelayTimeouts:
    """Seconds: until a node must have the chat, until its first token, between two batches."""

    claim: float = 5.0
    first_token: float = 50.0
    silence: float = 15.0
    whole: float = 590.0


class Relay:
    """`alive` says, asked while nothing comes, whether the chat can still go on."""

    def __init__(
        self,
        inbox: Inbox,
        tally: ChunkTally,
        limits: RelayTimeouts,
        alive: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inbox, self._limits, self._alive, self._clock = inbox, limits, alive, clock
        self.tally = tally
        self.holder: ClaimNotice | None = None
        self.first_token_ms: int | None = None
        self._began = self._heard_at = clock()
        self._bytes = 0

    def chunks(self) -> Generator[Chunk | None, None, None]:
        """Chunks as they come; None whenever none came for a second. Raises RelayFailed.

        A chunk counts as delivered when the next one is asked for, and not when it is yielded.
        """
        while True:
            if self._inbox.overflowed:
                raise RelayFailed("client_too_slow")
            message = self._inbox.get(min(LOOK_SECONDS, self._left()))
            if message is None:
                self._check()
                yield None
                continue
            batch = self._open(message)
            if batch is None:
                continue
            yield from self._deliver(batch)
            if batch.error is not None:
                raise RelayFailed(batch.error)
            if batch.done:
                return

    def _open(self, message: RelayMessage) -> ChunkBatch | None:
        if isinstance(message, LossNotice):
            raise RelayFailed(message.why)
        self._heard_at = self._clock()
        if isinstance(message, ClaimNotice):
            self.holder = message
            return None
        self._bytes += message.size
        if self._bytes > MOST_BYTES:
            raise RelayFailed("too_large")
        return message

    def _deliver(self, batch: ChunkBatch) -> Iterator[Chunk]:
        try:
            chunks, counted = [parse(data) for data in batch.data], usage(batch.usage)
        except Garbage:
            raise RelayFailed("garbage") from None
        for chunk in chunks:
            if self.first_token_ms is None and chunk.answers:
                self.first_token_ms = int((self._clock() - self._began) * 1000)
            yield chunk
            self.tally.deliver(chunk)
        self.tally.count(counted)

    def _left(self) -> float:
        """Until something is wrong if nothing comes."""
        limits, now = self._limits, self._clock()
        ends = [self._began + limits.whole]
        if self.first_token_ms is None:
            ends.append(self._began + limits.first_token)
        if self.holder is None:
            ends.append(self._began + limits.claim)
        else:
            ends.append(self._heard_at + limits.silence)
        return max(0.0, min(ends) - now)

    def _check(self) -> None:
        if self._left() <= 0:
            raise RelayFailed("unclaimed" if self.holder is None else "silent")
        if not self._alive():
            raise RelayFailed("gone")

    @property
    def node_id(self) -> UUID | None:
        return None if self.holder is None else self.holder.node_id
