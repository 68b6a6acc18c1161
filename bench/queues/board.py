"""Where a job says that it is done: a slot of shared memory, which costs every engine the same.

A slot is (when first, how often). Slots are far apart in time, never in two hands at once.
"""

import mmap
import os
import struct
import time
from functools import cache
from pathlib import Path

SLOT = struct.Struct("=dq")
VARIABLE = "BENCH_BOARD"


class Board:
    def __init__(self, path: Path, slots: int | None = None) -> None:
        """With `slots`, make the file."""
        if slots is not None:
            path.write_bytes(bytes(SLOT.size * slots))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)

    def mark(self, slot: int) -> None:
        """Slot `slot` is done now; CLOCK_MONOTONIC is the same in all processes."""
        now = time.monotonic()
        first, times = SLOT.unpack_from(self._memory, slot * SLOT.size)
        SLOT.pack_into(self._memory, slot * SLOT.size, first or now, times + 1)

    def clear(self) -> None:
        self._memory[:] = bytes(len(self._memory))

    def done(self, slots: range) -> list[float]:
        """When each finished one of `slots` was done. Raises RuntimeError if one was done twice."""
        found = []
        for slot in slots:
            at, times = SLOT.unpack_from(self._memory, slot * SLOT.size)
            if times > 1:
                raise RuntimeError(f"job {slot} was done {times} times")
            if times:
                found.append(at)
        return found


@cache
def _mine() -> Board:
    return Board(Path(os.environ[VARIABLE]))


def mark(slot: int) -> None:
    """In a worker: job `slot` is done."""
    _mine().mark(slot)
