"""Claim, work, finish: the walk of every job through a worker, written once."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from time import perf_counter
from typing import TypeVar
from uuid import UUID

import psycopg

from app.core import db, log, metrics, tracing
from app.core.config.settings import Settings
from app.core.errors import AppError, StorageUnavailable
from app.core.redis.events import Publisher
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.parts import ParentEnded, Wait
from workers.queue.attempt import Attempt, Lost, handler_of
from workers.queue.leases import Leases

logger = log.get(__name__)
Result = TypeVar("Result")

# Finished jobs of one message commit together, but nobody waits longer than this for the rest.
FLUSH_SECONDS = 0.02
CLAIM_PATIENCE_SECONDS = 5.0


class Runner:
    """One per worker process."""

    def __init__(self, settings: Settings, worker: str, publisher: Publisher) -> None:
        self.settings, self.worker, self.publisher = settings, worker, publisher
        self.leases = Leases(worker, settings.job_lease_seconds)

    def run(self, ids: list[UUID]) -> None:
        """Do the jobs of one message. Those that are somebody else's or done are skipped."""
        claimed = self._persist(lambda: self._claim(ids), CLAIM_PATIENCE_SECONDS)
        if not claimed:
            return
        self.leases.take(claimed)
        try:
            self._work_all(sorted(claimed, key=lambda job: ids.index(job.id)))
        finally:
            self.leases.drop(claimed)

    def _claim(self, ids: list[UUID]) -> list[ClaimedJob]:
        with db.forgettable() as tx:  # a claim that a crash undoes is only an expired lease
            claimed = jobs.claim(tx, ids, self.worker, self.leases.lease_seconds)
            if len(claimed) < len(ids):
                jobs.leave(tx, ids)
            return claimed

    def _work_all(self, claimed: list[ClaimedJob]) -> None:
        done: list[jobs.Done] = []
        since = perf_counter()
        for job in claimed:
            with _bound(job), _span(job):
                worked = self._work(job)
            if worked is not None:
                done.append(worked)
            if done and perf_counter() - since > FLUSH_SECONDS:
                self._finish(done)
                done, since = [], perf_counter()
        if done:
            self._finish(done)

    def _work(self, job: ClaimedJob) -> jobs.Done | None:
        """Run the handler; None when there is nothing left to write."""
        metrics.claims.labels(job.kind).inc()
        attempt = Attempt(job, self.settings, self.leases, self.publisher)
        try:
            attempt.check()  # the jobs before it in the message may have taken long
            began = perf_counter()
            finish = handler_of(job.kind)(attempt)
            attempt.end_stage()
            attempt.check()
            seconds = perf_counter() - began
            metrics.job_seconds.labels(job.kind).observe(seconds)
            return jobs.Done(job, finish, seconds, tracing.headers())
        except (Lost, ParentEnded):
            self._count(job, "lost")
        except AppError as error:
            self._fail(job, error, retryable=error.retryable)
        except psycopg.OperationalError as error:
            logger.warning("database failed", kind=job.kind, error=type(error).__name__)
            if _refused(error):
                self._fail(job, StorageUnavailable(), retryable=True)
            else:
                # Nothing can be reported without a database: the lease runs out, the job goes back.
                self._count(job, "database_away")
        except Exception:
            logger.exception("job raised", kind=job.kind, attempt=job.attempt)
            self._fail(job, AppError(), retryable=True)
        return None

    def _finish(self, done: list[jobs.Done]) -> None:
        try:
            held = self._persist(lambda: self._commit(done), self.leases.lease_seconds)
        except psycopg.OperationalError:
            logger.warning("results left to the lease", jobs=len(done))
            return
        except Exception as error:  # noqa: BLE001 (is logged below, unless it is expected)
            self._finish_each(done, error)
            return
        self.publisher.moved(held)
        for job, write, seconds, _ in done:
            outcome = "waiting" if isinstance(write, Wait) else "succeeded"
            outcome = outcome if job.id in held else "fenced"
            self._count(job, outcome)
            with _bound(job):
                logger.info("job ended", kind=job.kind, outcome=outcome, seconds=round(seconds, 4))

    def _finish_each(self, done: list[jobs.Done], error: Exception) -> None:
        """One job's results must not spoil the others' of its message."""
        if len(done) > 1:
            for one in done:
                self._finish([one])
            return
        job = done[0].job
        if isinstance(error, ParentEnded):
            self._count(job, "lost")
            return
        logger.error("results refused", kind=job.kind, job_id=str(job.id), exc_info=error)
        self._fail(job, AppError(), retryable=True)

    def _commit(self, done: list[jobs.Done]) -> set[UUID]:
        with db.transaction() as tx:
            held = jobs.finish(tx, done)
            # A commit whose reply was lost looks fenced when it is tried again.
            missing = [d.job for d in done if d.job.id not in held]
            held |= {job.id for job in missing if attempt_store.done(tx, job)}
        return held

    def _fail(self, job: ClaimedJob, error: AppError, *, retryable: bool) -> None:
        tracing.note(error=error.code)

        def write() -> str | None:
            with db.transaction() as tx:
                return jobs.fail(tx, job, error, retryable=retryable)

        try:
            state = self._persist(write, self.leases.lease_seconds)
        except psycopg.OperationalError:
            logger.warning("failure left to the lease", code=error.code)
            return
        except Exception:  # the kind's `on_end`: the sweeper ends the job without it
            logger.exception("failure refused", kind=job.kind, job_id=str(job.id))
            return
        logger.info("job failed", kind=job.kind, code=error.code, why=error.why, now=state)
        self._count(job, "retried" if state == "queued" else state or "fenced")
        self.publisher.moved([job.id])

    def _count(self, job: ClaimedJob, outcome: str) -> None:
        metrics.outcomes.labels(job.kind, outcome).inc()

    @staticmethod
    def _persist(act: Callable[[], Result], seconds: float) -> Result:
        """Do `act` again while the database is away, for `seconds` at most."""
        until, pause = time.monotonic() + seconds, 0.05
        while True:
            try:
                return act()
            except psycopg.OperationalError:
                if time.monotonic() + pause > until:
                    raise
                time.sleep(pause)
                pause = min(1.0, pause * 2)


def _bound(job: ClaimedJob) -> AbstractContextManager[None]:
    """Binds to what is logged inside the ids of the job, its account and its request."""
    return log.bound(job_id=str(job.id), account_id=str(job.account_id), request_id=job.request_id)


def _span(job: ClaimedJob) -> AbstractContextManager[None]:
    """From the claim until the results are to be written."""
    facts: tracing.Facts = {
        "citegrid.job_id": str(job.id),
        "citegrid.attempt": job.attempt,
        "citegrid.request_id": job.request_id,
    }
    return tracing.span(f"job {job.kind}", "consumer", job.payload, facts)


def _refused(error: psycopg.OperationalError) -> bool:
    """True if the server gave up one statement (a lock, a timeout), rather than was not there.

    Class 08 and codes 57P01-57P05 end the connection (postgresql.org/docs, errcodes-appendix).
    """
    return error.sqlstate is not None and not error.sqlstate.startswith(("08", "57P"))
