"""What dispatchers decide: which jobs go to Redis, and what became of those nobody hears of.

Any number of dispatchers may run: rows are taken with SKIP LOCKED, ticks are unique. No leader.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

from app.core import log
from app.core.db import Tx
from app.domains.jobs import dispatch_store, kinds, service
from app.domains.jobs.dispatch_store import Chosen as Chosen
from app.domains.jobs.dispatch_store import Depth as Depth
from app.domains.jobs.kinds import Ended

logger = log.get(__name__)


def choose(tx: Tx, queue: str, depth: int, lost_seconds: float) -> tuple[list[Chosen], bool]:
    """Mark as dispatched what fills the queue up to `depth`, fairly between accounts.

    Also says whether the queue is full now, so that more may be waiting.
    """
    chosen, room = dispatch_store.choose(tx, queue, kinds.names(), depth, lost_seconds)
    return chosen, len(chosen) == room


MESSAGE_SECONDS = 0.02
MESSAGE_JOBS = 16
ENOUGH_JOBS = 20


def short_kinds(tx: Tx, recent: list[UUID]) -> dict[str, int]:
    """How many jobs of each kind make a message: what takes 20 ms, going by `recent` jobs.

    A worker claims the jobs of a message at once and ends them in one transaction. Only kinds whose
    jobs nearly all take a few milliseconds are bundled: nobody shall wait behind a long one.
    """
    worked = dispatch_store.worked_seconds(tx, recent, ENOUGH_JOBS)
    fitting = {
        kind: min(MESSAGE_JOBS, int(MESSAGE_SECONDS / max(seconds, 1e-6)))
        for kind, seconds in worked.items()
    }
    return {kind: jobs for kind, jobs in fitting.items() if jobs > 1}


def messages(chosen: Iterable[Chosen], short: Mapping[str, int]) -> list[list[Chosen]]:
    """Group jobs into messages, each of one kind; `short` as `short_kinds` tells.

    A job that is tried again travels alone: one that kills its worker must not take others with it
    twice.
    """
    together: dict[str, list[Chosen]] = {}
    grouped: list[list[Chosen]] = []
    for job in chosen:
        declared = kinds.of(job.kind).ids_per_message
        most = 1 if job.attempt else declared or short.get(job.kind, 1)
        bundle = together.get(job.kind)
        if most == 1:
            grouped.append([job])
        elif bundle is not None and len(bundle) < most:
            bundle.append(job)
        else:
            together[job.kind] = [job]
            grouped.append(together[job.kind])
    return grouped


def put_back(tx: Tx, ids: list[UUID]) -> int:
    """What could not be sent waits again."""
    return dispatch_store.put_back(tx, ids)


def put_all_back(tx: Tx) -> int:
    """Redis lost its memory: every message is gone, every dispatched job waits again."""
    return dispatch_store.put_all_back(tx)


def sweep(tx: Tx) -> list[Ended]:
    """Lost messages, dead workers, passed deadlines. Returns the jobs that ended by it."""
    dispatch_store.sweep_messages(tx)
    known = kinds.names()
    swept = dispatch_store.sweep_leases(tx, known, service.describe(service.WorkerLost()))
    late = service.describe(service.DeadlineExceeded())
    swept += dispatch_store.sweep_deadlines(tx, known, late)
    over = [job for job in swept if job.state == "failed"]
    for job in over:
        _end(tx, job)
    return over


def _end(tx: Tx, job: Ended) -> None:
    """A hook that raises does nothing, but its job ends: it must not hold up all the others."""
    try:
        with tx.transaction():
            service.ended(tx, job)
    except psycopg.OperationalError:
        raise
    except Exception:
        logger.exception("on_end raised", kind=job.kind, job_id=str(job.id))


def retire(tx: Tx, kept_days: float, most: int = 1_000) -> int:
    """Delete finished jobs older than `kept_days`, `most` at a time; returns how many."""
    before = datetime.now(UTC) - timedelta(days=kept_days)
    earliest = UUID(int=int(before.timestamp() * 1000) << 80)  # UUIDv7 begins with milliseconds
    return dispatch_store.retire(tx, earliest, most)


def release(tx: Tx, host: str) -> int:
    """Give back what the workers named `host...` hold."""
    return dispatch_store.release(tx, host)


def beat(tx: Tx, id: str, *, sleeping: bool) -> None:
    """Say that this dispatcher lives, and whether a submit must wake it."""
    dispatch_store.beat(tx, id, sleeping=sleeping)


def forget_dead(tx: Tx) -> int:
    return dispatch_store.forget_dead(tx)


def alive(tx: Tx) -> list[str]:
    """Dispatchers heard of in the last 15 seconds."""
    return dispatch_store.alive(tx)


def depths(tx: Tx) -> list[Depth]:
    """Unfinished jobs by queue and state, with the age of the oldest."""
    return dispatch_store.depths(tx)
