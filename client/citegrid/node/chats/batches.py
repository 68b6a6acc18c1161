"""A chat's chunks, gathered into batches: the first at once, then every 40 ms or 4 kB."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from citegrid.node.chats.chunks import usage_of

GAP_SECONDS: Final = 0.04
BATCH_BYTES: Final = 4096
MOST_BATCH_BYTES: Final = 56 * 1024
SILENCE_SECONDS: Final = 5.0


class Post(Protocol):
    """Passes one batch on; whether to stop."""

    def __call__(
        self,
        seq: int,
        data: list[Mapping[str, Any]],
        done: bool,
        usage: Mapping[str, int] | None,
        error: Mapping[str, str] | None,
    ) -> Awaitable[bool]: ...


@dataclass(slots=True)
class Batches:
    post: Post
    clock: Callable[[], float] = time.monotonic
    seq: int = 0
    usage: dict[str, int] | None = None
    stopped: bool = False
    _waiting: list[Mapping[str, Any]] = field(default_factory=list)
    _bytes: int = 0
    _sent_at: float | None = None

    async def add(self, chunk: Mapping[str, Any]) -> None:
        """Take a chunk, and send the batch before it where both would be too large."""
        size = len(json.dumps(chunk))
        if self._waiting and self._bytes + size > MOST_BATCH_BYTES:
            await self.send()
        self._waiting.append(chunk)
        self._bytes += size
        self.usage = usage_of(chunk) or self.usage

    def patience(self) -> float:
        """Returns how long to wait for more before something has to be sent."""
        if not self._waiting:
            return SILENCE_SECONDS
        if self._sent_at is None or self._bytes >= BATCH_BYTES:
            return 0.0
        return max(0.0, self._sent_at + GAP_SECONDS - self.clock())

    async def send(self, *, done: bool = False, error: Mapping[str, str] | None = None) -> None:
        """Send what waits, or that there is nothing yet."""
        if self.stopped and not done:
            return
        batch, self._waiting, self._bytes = self._waiting, [], 0
        self._sent_at = self.clock() if batch else self._sent_at
        stop = await self.post(self.seq, batch, done, self.usage, error)
        self.seq += 1
        self.stopped = self.stopped or stop
