"""A turn: some searches through their life, and all that looks at the queues meanwhile.

Measured is processor time, of this process and of the server's for its connection: other work on
the machine makes it no longer.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Concatenate, ParamSpec, TypeVar
from uuid import UUID

from app.core import ids
from app.core.db import Statement, Tx
from app.core.errors import Overloaded, RateLimited
from app.domains.queue.jobs import attempt_store, dispatch_store, schedules
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.admission.admission import Backpressure
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.dispatch import selection, sweep, sweep_store
from app.domains.queue.jobs.operations import listing
from app.domains.queue.jobs.operations.listing_store import Filter
from app.domains.queue.jobs.operations.queues import queues, samples
from app.domains.search.searches import service as searches
from app.domains.search.searches import store as search_store
from app.domains.search.searches.store import Search
from bench.capacity.tables import Database

P = ParamSpec("P")
R = TypeVar("R")
Step = Callable[Concatenate[Tx, P], R]

QUEUE = searches.KIND.queue
DEPTH, CANCELLED, RETRIED, LOOKS = 64, 16, 8, 3
WORKER, LEASE_SECONDS, LOST_SECONDS = "bench", 3600.0, 3600.0
DEADLINE_SECONDS = 12 * 3600.0
TARGET_SECONDS = 60.0
SHARES = {
    "submit": "submit (job and search, one statement)",
    "admit": "admission, looked at anew (limits 20,000 and 5,000)",
    "choose": f"choose {DEPTH} jobs",
    "claim": "claim",
    "renew": "renew a lease",
    "finish": "finish",
    "retry": "fail, to be retried",
    "cancel": "cancel a waiting one",
    "poll": "poll one search",
    "list": "list an account's searches",
    "sweep": "sweep: leases, deadlines, parts",
    "messages": "sweep: lost messages",
    "wake": "wake what is due",
    "tick": "schedules",
    "retire": "retention: nothing is old",
    "overview": "the queues of /ops",
    "depths": "the queues of /metrics",
    "sample": "sample, every 10 s",
    "minute": "sample, at each whole minute",
    "open": "operators' list: open",
    "failed": "operators' list: failed",
}
"""Steps that are compared, in words."""
FORGET_SAMPLES = """
    delete from queue_samples where at < (select max(latest.at) from queue_samples latest)
    """
MOVE_SAMPLE = "update queue_samples set at = %s"


class Turn:
    """Medians of the microseconds that each step took in one database, in one turn."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._spent: dict[str, list[float]] = defaultdict(list)

    def run(self) -> dict[str, float]:
        submitted = [self._submit(account) for account in self._accounts()]
        for id in submitted[:CANCELLED]:
            self._do("cancel", jobs.cancel, id)
        self._read(submitted[-1])
        self._work()
        self._sweep()
        return {step: median(times) * 1e6 for step, times in self._spent.items()}

    def _accounts(self) -> list[UUID]:
        known, many = self._database.accounts, DEPTH + CANCELLED
        return random.sample(list(known), many) if len(known) >= many else [known[0]] * many

    def _submit(self, account: UUID) -> UUID:
        id = ids.new()
        noun = search_store.insertion(account, "q", {}, 3600.0, [])
        self._do("submit", submit, account, id, noun)
        self._owner = account
        return id

    def _read(self, id: UUID) -> None:
        owner = self._owner
        for _ in range(LOOKS * 3):
            self._do("poll", searches.find, owner, id)
            self._do("list", recent, owner)
        for _ in range(LOOKS):
            self._do("admit", admit, owner)
            self._do("overview", queues.overview, TARGET_SECONDS)
            self._do("depths", selection.depths)
            self._do("open", listing.page, Filter(state="open"), None, 50)
            self._do("failed", listing.page, Filter(state="failed"), None, 50)

    def _work(self) -> None:
        (chosen, *_), hasty = self._hastily("choose", choose), self._hastily
        for n, job in enumerate(chosen):
            (held,) = hasty("claim", jobs.claim, [job.id], WORKER, LEASE_SECONDS)
            hasty("renew", attempt_store.renew, [(held.id, held.attempt)], WORKER, LEASE_SECONDS)
            if n < RETRIED:
                self._do("retry", retry, held)
            else:
                self._do("finish", jobs.finish, [jobs.Done(held, lambda _: None)])

    def _sweep(self) -> None:
        for _ in range(LOOKS):
            self._do("sweep", sweep.sweep)
            self._do("messages", sweep_store.overdue, sweep.BATCH_JOBS)
            self._hastily("wake", dispatch_store.wake)
            self._do("tick", schedules.tick)
            self._do("retire", selection.retire, 31.0)
            end = self._step()
            self._hastily("sample", samples.take, end)
            self._hastily("minute", samples.take, end.replace(second=0) + timedelta(minutes=1))

    def _step(self) -> datetime:
        """The end of a step within a minute; the last sample becomes that of the step before."""
        now = datetime.now(UTC)
        end = now if now.second else now + timedelta(seconds=1)
        self._database.tx.execute(FORGET_SAMPLES)
        self._database.tx.execute(MOVE_SAMPLE, [end - samples.STEP])
        return end

    def _do(self, step: str, act: Step[P, R], *args: P.args, **options: P.kwargs) -> R:
        tx = self._database.tx
        with tx.transaction(), self._timed(step, tx):
            return act(tx, *args, **options)

    def _hastily(self, step: str, act: Step[P, R], *args: P.args, **options: P.kwargs) -> R:
        tx = self._database.forgetful
        with tx.transaction(), self._timed(step, tx):
            return act(tx, *args, **options)

    @contextmanager
    def _timed(self, step: str, tx: Tx) -> Iterator[None]:
        server, own = server_seconds(tx), time.process_time()
        yield
        own = time.process_time() - own
        self._spent[step].append(own + server_seconds(tx) - server)


def server_seconds(tx: Tx) -> float:
    """Processor time that the server has spent on this connection (proc(5), schedstat)."""
    spent = Path(f"/proc/{tx.info.backend_pid}/schedstat").read_text()
    return int(spent.split()[0]) / 1e9


def submit(tx: Tx, account: UUID, id: UUID, noun: Statement) -> None:
    """With a deadline that no round of a busy machine reaches: a retry waits for the next one."""
    jobs.enqueue(
        tx, searches.KIND, account, {}, id=id, noun=noun, deadline_seconds=DEADLINE_SECONDS
    )


def admit(tx: Tx, owner: UUID) -> None:
    """By a process that has not looked yet; whether there is room makes no difference."""
    with suppress(RateLimited, Overloaded):
        Backpressure(20_000, 5_000).check(tx, searches.KIND, owner)


def choose(tx: Tx) -> selection.Choice:
    return selection.choose(tx, QUEUE, DEPTH, LOST_SECONDS)


def recent(tx: Tx, owner: UUID) -> list[Search]:
    """The latest, in every database: an account of an almost empty one has no more."""
    return searches.recent(tx, owner, status=None, contains=None, before=None, limit=0)


def retry(tx: Tx, held: ClaimedJob) -> str | None:
    return jobs.fail(tx, held, jobs.WorkerLost(), retryable=True)
