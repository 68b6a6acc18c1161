"""Figures that may take long to count: the longer it took, the later they are counted again.

So whatever is asked for every two seconds takes a bounded share of the database's time, however
much there is to count. What takes little is counted each time.
"""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Final, Generic, NamedTuple, TypeVar

WORTH_SECONDS: Final = 0.2
"""What takes less is not kept."""
REST: Final = 50
"""As many times as long as it took it is not counted again."""
MOST: Final = 200

V = TypeVar("V")


class _Kept(NamedTuple, Generic[V]):
    value: V
    until: float


class Costly(Generic[V]):
    def __init__(self) -> None:
        self._kept: dict[Hashable, _Kept[V]] = {}
        self._lock = threading.Lock()

    def of(self, key: Hashable, count: Callable[[], V]) -> V:
        """The result of `count` now, or lately for this key."""
        began = time.monotonic()
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and began < kept.until:
            return kept.value
        value = count()
        ended = time.monotonic()
        with self._lock:
            self._kept.pop(key, None)
            if ended - began >= WORTH_SECONDS:
                while len(self._kept) >= MOST:
                    self._kept.pop(next(iter(self._kept)))  # the one kept longest
                self._kept[key] = _Kept(value, ended + (ended - began) * REST)
        return value
