"""Samples of every queue: each 10 seconds for a day, each five minutes for 30 days.

Whoever dispatches may call `sample` as often as it likes: a step is written once. A step that
nobody wrote is a gap; nothing is made up later.
"""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from app.core.db import Reader, Tx
from app.domains.queue.jobs.admission import load_store
from app.domains.queue.jobs.admission.load_store import Load
from app.domains.queue.jobs.operations.queues import sample_store
from app.domains.queue.jobs.operations.queues.sample_store import QueueSample


class Window(NamedTuple):
    """So many seconds in steps of so many: no more than 360 points."""

    seconds: int
    step_seconds: int


WINDOWS: Final = {
    "1h": Window(3_600, 10),
    "6h": Window(6 * 3_600, 60),
    "24h": Window(86_400, 300),
    "7d": Window(7 * 86_400, 1_800),
    "30d": Window(30 * 86_400, 7_200),
}


COARSE_STEPS: Final = {"1h": 60, "6h": 300, "24h": 1_200, "7d": 7_200, "30d": 28_800}
"""For all queues at once: no more than 90 points each."""
STEP: Final = timedelta(seconds=10)
MOST_COUNTED: Final = 1_000_000
"""Of a queue, at a whole minute: some 0.3 s."""


def sample(tx: Tx) -> int:
    """Write the last step, if nobody has; how many queues were looked at."""
    end = sample_store.due(tx)
    if end is None:
        return 0
    written = take(tx, end)
    sample_store.merge(tx, end)
    return written


def take(tx: Tx, end: datetime) -> int:
    """Write the step that ended then; returns how many queues were looked at."""
    return sample_store.insert(tx, end, [_known(tx, load, end) for load in load_store.loads(tx)])


def _known(tx: Tx, load: Load, end: datetime) -> Load:
    """The load with what waits counted, or as of the step before, to which the changes are added.

    These miss what waited for a payment or a time to come, so all is counted each minute.
    """
    if load.sampled_at is None and load.ready < load_store.COUNTED:
        return load
    if load.sampled_at == end - STEP and end.second != 0:
        return load
    return load_store.counted(tx, load, MOST_COUNTED)


def samples(reader: Reader, queue: str, window: str) -> list[QueueSample]:
    """A queue over one of WINDOWS, oldest first; a gap is a sample of nothing."""
    seconds, step = WINDOWS[window]
    return sample_store.window(reader, queue, seconds, step)


def histories(reader: Reader, window: str) -> dict[str, list[QueueSample]]:
    """Every queue that was sampled in the window, by name, in COARSE_STEPS."""
    seconds, step = WINDOWS[window].seconds, COARSE_STEPS[window]
    names = sample_store.sampled(reader, seconds, step)
    return {name: sample_store.window(reader, name, seconds, step) for name in names}
