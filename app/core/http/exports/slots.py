"""The streams that a process sends at once, each with a slot."""

import threading
from collections.abc import Callable, Generator, Iterator
from typing import Final

from app.core.errors import Overloaded

RETRY_SECONDS: Final = 5


class Slots:
    """The number of exports a process serves at once: each holds a thread."""

    def __init__(self, most: int) -> None:
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> Callable[[], None]:
        """Takes a slot, and returns how to give it back. Raises Overloaded."""
        if not self._free.acquire(blocking=False):
            raise Overloaded(retry_after=RETRY_SECONDS)
        return self._free.release


class SlotStream:
    """A streamed body that gives its slot back when the server closes it, also if never started."""

    def __init__(self, chunks: Iterator[bytes], release: Callable[[], None]) -> None:
        self._chunks, self._release = chunks, release
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            if isinstance(self._chunks, Generator):
                self._chunks.close()
            self._release()
