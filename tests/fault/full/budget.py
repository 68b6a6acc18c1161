"""How many jobs each fault gets so that all faults fit into the time that there is, and which
faults follow each other where several run side by side."""

from collections.abc import Callable, Sequence
from typing import Final

from tests.fault.full.fault import Fault

FEWEST: Final = 200
"""Below this a fault is not begun."""

_START_SECONDS: Final = 30.0
_FIRST_RATE: Final = 15.0
"""Jobs a second, until some have been measured."""

_SHARE_OF_STRIKES: Final = 0.5
"""Jobs are done while faults strike, too, but not as many."""

_WORK_SECONDS: Final = 300.0
"""About what a fault's jobs take, beside its strikes."""


def dealt(faults: Sequence[type[Fault]], lanes: int) -> list[list[type[Fault]]]:
    """All faults in at most so many lanes of about the same length, each in the order given."""
    lengths = [0.0] * lanes
    lane_of: dict[type[Fault], int] = {}
    for fault in sorted(faults, key=lambda fault: fault.seconds, reverse=True):
        lane_of[fault] = lengths.index(min(lengths))
        lengths[lane_of[fault]] += fault.seconds + _WORK_SECONDS
    dealt_out = [[fault for fault in faults if lane_of[fault] == n] for n in range(lanes)]
    return [lane for lane in dealt_out if lane]


class Budget:
    """What is left is divided evenly between the faults that are left, beside their strikes."""

    def __init__(self, faults: list[Fault], seconds: float, clock: Callable[[], float]) -> None:
        self._left, self._clock = list(faults), clock
        self._end = clock() + seconds
        self._rate = _FIRST_RATE

    def jobs(self, fault: Fault, most: int) -> int:
        """For the next fault; 0 when it does not fit any more."""
        groups = len({each.group for each in self._left})
        fixed = sum(each.seconds for each in self._left) + groups * _START_SECONDS
        spare = self._end - self._clock() - fixed
        while_struck = fault.seconds * _SHARE_OF_STRIKES
        fitting = self._rate * (spare / len(self._left) + while_struck)
        self._left.remove(fault)
        return 0 if fitting < FEWEST else int(min(most, fitting))

    def took(self, fault: Fault, jobs: int, seconds: float) -> None:
        """Learn from a run how fast jobs are done on this machine."""
        beside = max(1.0, seconds - fault.seconds * (1 - _SHARE_OF_STRIKES))
        self._rate = 0.5 * self._rate + 0.5 * jobs / beside
