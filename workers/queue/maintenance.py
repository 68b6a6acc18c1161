"""Work on all queues that a dispatcher does at intervals, beside sending jobs."""

import time

from app.core import db, log, metrics
from app.core.redis import events
from app.domains.queue.alerts import observations
from app.domains.queue.jobs import schedules
from app.domains.queue.jobs.dispatch import sweep
from app.domains.queue.jobs.operations.queues import connections, queues, samples

logger = log.get(__name__)

SWEEP_LIMIT_SECONDS = 0.15  # then jobs are sent before more of what is overdue is ended


def end_overdue(publisher: events.Publisher) -> bool:
    """End all that is overdue, unless it takes so long that others wait for it: then True."""
    until, more = time.monotonic() + SWEEP_LIMIT_SECONDS, True
    while more:
        with db.transaction() as tx:
            sweep.forgive(tx)
            ended, more = sweep.sweep(tx)
        for job in ended:
            metrics.swept.labels(job.kind, (job.error or {}).get("code", "")).inc()
        publisher.moved([job.id for job in ended])
        if time.monotonic() > until:
            break
    return more


def establish(pool_size: int) -> None:
    """Make schedules and queues of the service: there from the first start of a new version on."""
    with db.transaction() as tx:
        schedules.establish(tx)
        queues.establish(tx)
    with db.reading() as reader:
        shortage = connections.budget(reader).shortage(pool_size)
    if shortage is not None:  # before a process is refused one
        logger.warning("too few connections", problem=shortage)


def sample() -> None:
    """Sample how each queue does, every ten seconds, whichever dispatcher comes first."""
    # A step that a crash takes is a gap, as without a dispatcher.
    with db.forgettable() as tx, tx.transaction():
        sampled = samples.sample(tx)
    if sampled:
        with db.transaction() as tx:
            observations.queues(tx)
