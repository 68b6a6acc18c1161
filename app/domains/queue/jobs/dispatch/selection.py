"""Decisions of dispatchers: which jobs go to Redis, in which order and in which messages.

Any number of dispatchers may run: rows are taken with SKIP LOCKED, ticks are unique. No leader.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.domains.queue.jobs import dispatch_store, kinds, schedule_store
from app.domains.queue.jobs.admission import load_store
from app.domains.queue.jobs.dispatch_store import DueJob

NOBODY = UUID(int=0)
"""Before the first account."""


class Choice(NamedTuple):
    """The jobs to be sent to one queue, in the order in which accounts take turns."""

    jobs: list[DueJob]
    full: bool
    """There was no room for more, so that more may be waiting."""
    left: int
    """So many of those that were sent before have not been taken yet."""
    room: int
    """So many more could have been sent."""
    last: UUID
    """The account that was served last: the next choice begins behind it."""


def choose(
    tx: Tx,
    queue: str,
    depth: int,
    lost_seconds: float,
    *,
    after: UUID = NOBODY,
    most: int | None = None,
) -> Choice:
    """Mark as dispatched what fills the queue up to `depth`, fairly between accounts.

    The account with least out is served first, and among equals the next one behind the account
    `after`. At most `most` jobs; none while the queue is paused.
    """
    most = depth if most is None else max(0, most)
    sent = dispatch_store.choose(tx, queue, kinds.names(), depth, most, lost_seconds, after)
    last = sent.jobs[-1].account_id if sent.jobs else after
    full = len(sent.jobs) >= sent.room and not sent.paused
    return Choice(sent.jobs, full, sent.sent, max(0, sent.room - len(sent.jobs)), last)


MESSAGE_SECONDS = 0.02
MESSAGE_JOBS = 16
ENOUGH_JOBS = 20


def short_kinds(reader: Reader, recent: list[UUID]) -> dict[str, int]:
    """The number of jobs of each kind that make a message: what takes 20 ms, going by `recent`
    jobs.

    A worker claims the jobs of a message at once and ends them in one transaction. Only kinds whose
    jobs nearly all take a few milliseconds are bundled: nobody shall wait behind a long one.
    """
    worked = dispatch_store.worked_seconds(reader, recent, ENOUGH_JOBS)
    fitting = {
        kind: min(MESSAGE_JOBS, int(MESSAGE_SECONDS / max(seconds, 1e-6)))
        for kind, seconds in worked.items()
    }
    return {kind: jobs for kind, jobs in fitting.items() if jobs > 1}


def messages(chosen: Iterable[DueJob], short: Mapping[str, int]) -> list[list[DueJob]]:
    """Group jobs into messages, each of one kind; `short` as `short_kinds` tells.

    A job that is tried again travels alone: one that kills its worker must not take others with it
    twice. Those that yield travel apart from those they yield to.
    """
    together: dict[tuple[str, bool], list[DueJob]] = {}
    grouped: list[list[DueJob]] = []
    for job in chosen:
        declared = kinds.of(job.kind).ids_per_message
        most = 1 if job.attempt else declared or short.get(job.kind, 1)
        bundle = together.get((job.kind, job.yields))
        if most == 1:
            grouped.append([job])
        elif bundle is not None and len(bundle) < most:
            bundle.append(job)
        else:
            together[job.kind, job.yields] = [job]
            grouped.append(together[job.kind, job.yields])
    return grouped


def retire(tx: Tx, kept_days: float, most: int = 1_000) -> int:
    """Delete finished jobs older than `kept_days`, `most` at a time; returns how many."""
    earliest = ids.first_of(schedule_store.clock(tx) - timedelta(days=kept_days))
    return dispatch_store.retire(tx, earliest, most)


class Depth(NamedTuple):
    """Unfinished jobs of a queue in one state, and since when the oldest could have begun."""

    queue: str
    state: str
    jobs: int
    oldest_seconds: float


def depths(reader: Reader) -> list[Depth]:
    """Unfinished jobs by queue and state, with the age of the oldest."""
    later = load_store.later(reader)
    return [
        depth
        for load in load_store.loads(reader)
        for depth in _depths(load, later.get(load.queue, 0))
        if depth.jobs
    ]


def _depths(load: load_store.Load, later: int) -> Iterable[Depth]:
    queued = load.ready + load.due + later
    yield Depth(load.queue, "queued", queued, max(load.ready_seconds, load.due_seconds))
    yield Depth(load.queue, "dispatched", load.dispatched, load.dispatched_seconds)
    yield Depth(load.queue, "running", load.running, load.running_seconds)
    yield Depth(load.queue, "waiting", load.parents, load.parents_seconds)
