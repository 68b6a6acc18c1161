"""A streamed body that holds something until it is closed."""

from collections.abc import Callable, Generator, Iterator


class SlotStream:
    """An iterator that gives its slot back when the server closes it, also if never started."""

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
