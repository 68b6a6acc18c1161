"""A clock for promises in seconds, which stands still while the machine does."""

import threading
import time
from functools import cache
from typing import Final

_TICK_SECONDS: Final = 0.01


class _Pace:
    """Counts short sleeps of a thread of its own. Each takes as long as it says or longer, so no
    count is ahead of time: on a quiet machine a promise is held to the second, and where
    everything comes late, or nothing runs for a while, the clock is late with the rest."""

    def __init__(self) -> None:
        self.ticks = 0
        threading.Thread(target=self._count, name="pace", daemon=True).start()

    def _count(self) -> None:
        while True:
            time.sleep(_TICK_SECONDS)
            self.ticks += 1


_pace = cache(_Pace)


def seconds() -> float:
    """Seconds since the first call in this process: what they differ by is never more than time."""
    return _pace().ticks * _TICK_SECONDS
