"""The actions that operators let be done to many jobs at once."""

import time

from app.domains.queue.jobs.operations import bulk
from app.domains.queue.jobs.parts import Wait
from app.domains.queue.jobs.service import Finish
from workers.queue.attempt import Attempt, handles

SLICE_SECONDS = 20.0  # then other work of the queue gets its turn


@handles(bulk.KIND)
def act(attempt: Attempt) -> Finish | Wait:
    """One step after another, until nothing is left."""
    until = time.monotonic() + SLICE_SECONDS
    while time.monotonic() < until:
        with attempt.step() as tx:
            reached = bulk.step(tx, attempt.id)
        if reached is None:
            return lambda tx: bulk.finish(tx, attempt.id)
        percent = min(99, 100 * reached.done // max(1, reached.expected))
        attempt.report("acting", percent, done=reached.done, expected=reached.expected)
    return Wait(lambda _tx: None)
