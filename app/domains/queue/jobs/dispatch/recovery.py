"""After the database has gone back in time: what was open then goes on."""

from app.core.db import Tx
from app.domains.queue.jobs import dispatch_store, kinds
from app.domains.queue.jobs.dispatch import sweep_store


def resume(tx: Tx, seconds: float) -> int:
    """Let open jobs continue as if these seconds had not passed; how many there are.

    Deadlines move by as much. Nobody works any more on what ran in a process of ours, so it goes
    back at once and costs it no attempt. What a node has keeps its lease: the first sweep after a
    gap gives nodes time to come back (`sweep.forgive`).
    """
    postponed = sweep_store.postpone(tx, seconds)
    sweep_store.release(tx, "", but=kinds.remote_names())
    dispatch_store.put_all_back(tx)
    return postponed
