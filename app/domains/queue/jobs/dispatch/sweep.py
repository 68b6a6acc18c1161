"""Sweeps of jobs nobody hears of: lost messages, dead workers, passed deadlines.

Any number of dispatchers may sweep: rows are taken with SKIP LOCKED.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import psycopg

from app.core import db, log
from app.core.db import Tx
from app.domains.queue.jobs import dispatch_store, kinds, part_store, parts, service
from app.domains.queue.jobs.dispatch import sweep_store
from app.domains.queue.jobs.kinds import EndedJob

logger = log.get(__name__)

BATCH_JOBS = 1_000
GRACE_SECONDS = 10.0
"""After a longer gap without any sweep nodes may have tried in vain to reach us."""
GRACE_LEASE_SECONDS = 60.0


class Swept(NamedTuple):
    ended: list[EndedJob]
    more: bool
    """A batch was full: sweep again."""


def forgive(tx: Tx) -> None:
    """In the transaction of each sweep of a dispatcher, before it: if none swept for a while, nodes
    could not reach us, or not know it. Each gets time to come back before its lease is lost.
    """
    gap_seconds = sweep_store.swept(tx)
    if gap_seconds > GRACE_SECONDS:
        sweep_store.prolong(tx, kinds.remote_names(), GRACE_LEASE_SECONDS)


def sweep(tx: Tx) -> Swept:
    """Take jobs from dead workers and end what is past its deadline, a batch of each.

    Parents whose time has come are woken, and parts of ended ones end. Whatever waits for another
    row comes first: no sweeper holds one that another could need.
    """
    known, most = kinds.names(), BATCH_JOBS
    lost = sweep_store.leases(tx, known, service.describe(service.WorkerLost()), most)
    failed = [job for job in lost if job.state == "failed"]
    for job in lost:
        if (hook := kinds.of(job.kind).on_lost) is not None:
            _guarded(tx, [job], hook)
    _end_all(tx, failed)
    woken = part_store.wake_due(tx, most)
    late = sweep_store.deadlines(tx, known, service.describe(service.DeadlineExceeded()), most)
    orphans = part_store.cancel_orphans(tx, known, most)
    _end_all(tx, late + orphans)
    more = max(len(lost), woken, len(late), len(orphans)) == most
    return Swept(failed + late + orphans, more)


def _end_all(tx: Tx, ended: Sequence[EndedJob]) -> None:
    """Run the hooks together; if one of them raises, each by itself."""
    hooked = [job for job in ended if job.parent_id or kinds.of(job.kind).on_end is not None]
    # A parent is older than its parts: in this order two sweepers never wait for each other.
    hooked.sort(key=lambda job: str(job.parent_id or ""), reverse=True)
    if not hooked or _guarded(tx, hooked, service.ended):
        return
    for job in hooked:
        if not _guarded(tx, [job], service.ended):
            parts.dismiss(tx, job)


def _guarded(tx: Tx, ended: Sequence[EndedJob], act: Callable[[Tx, EndedJob], None]) -> bool:
    """A hook that raises does nothing, but its job ends: it must not hold up all the others."""
    try:
        with db.savepoint(tx):
            for job in ended:
                act(tx, job)
    except psycopg.OperationalError:
        raise
    except Exception:
        if len(ended) == 1:
            logger.exception("hook raised", kind=ended[0].kind, job_id=str(ended[0].id))
        return False
    return True


def resume(tx: Tx, seconds: float) -> int:
    """The database went back in time: open jobs continue as if these seconds had not passed.

    Returns how many there are. Deadlines move by as much. Nobody works any more on what ran in a
    process of ours, so it goes back at once and costs it no attempt. What a node has keeps its
    lease: the first sweep after a gap gives nodes time to come back (`forgive`).
    """
    postponed = sweep_store.postpone(tx, seconds)
    sweep_store.release(tx, "", but=kinds.remote_names())
    dispatch_store.put_all_back(tx)
    return postponed
