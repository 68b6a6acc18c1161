"""Jobs whose messages were lost wait again: nobody took them in time, or Redis forgot them all."""

from itertools import groupby

import redis

from app.core import db
from app.domains.queue.jobs import dispatch_store
from app.domains.queue.jobs.dispatch import sweep, sweep_store
from workers.queue.messages import Messages

GENERATION = "citegrid:generation"


def requeue(client: redis.Redis, messages: Messages, lost_seconds: float) -> None:
    """A job whose message still waits in Redis gets `lost_seconds` more. Raises RedisError."""
    # The key is gone when Redis was flushed or restarted empty: so are all messages.
    if not client.exists(GENERATION):
        with db.transaction() as tx:
            dispatch_store.put_all_back(tx)
        client.set(GENERATION, "1")  # only now: Postgres may be away as well
    with db.reading() as reader:
        overdue = sorted(sweep_store.overdue(reader, sweep.BATCH_JOBS), key=lambda job: job.queue)
    for queue, jobs in groupby(overdue, lambda job: job.queue):
        ids = {job.id for job in jobs}
        waiting = messages.jobs(queue)
        still = ids if waiting is None else ids & waiting
        with db.transaction() as tx:
            sweep_store.extend(tx, list(still), lost_seconds)
            sweep_store.requeue(tx, list(ids - still))
