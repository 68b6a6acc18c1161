"""One thread of a worker process renews the leases of all jobs the process holds.

It ends when there are none, so that an idle process does nothing.
"""

import os
import socket
import threading
import time
from collections.abc import Iterable
from uuid import UUID

import psycopg

from app.core import db, log
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.engine import memory

logger = log.get(__name__)


def host_name(parent: int) -> str:
    """The part of a worker's name that all children of one Celery worker share."""
    return f"{socket.gethostname()}:{parent}:"


def worker_name() -> str:
    """`host:parent:pid`: who holds a job, down to the process."""
    return f"{host_name(os.getppid())}{os.getpid()}"


class Leases:
    """The jobs this process holds. `lost` jobs belong to somebody else or have ended."""

    def __init__(self, worker: str, lease_seconds: float) -> None:
        self.worker, self.lease_seconds = worker, lease_seconds
        self._lock = threading.Lock()
        self._held: set[tuple[UUID, int]] = set()
        self._lost: set[tuple[UUID, int]] = set()
        self._thread: threading.Thread | None = None

    def take(self, claimed: Iterable[ClaimedJob]) -> None:
        with self._lock:
            self._held.update((job.id, job.attempt) for job in claimed)
            if self._thread is None:
                self._thread = threading.Thread(target=self._renew_all, name="leases", daemon=True)
                self._thread.start()

    def drop(self, claimed: Iterable[ClaimedJob]) -> None:
        with self._lock:
            for job in claimed:
                self._held.discard((job.id, job.attempt))
                self._lost.discard((job.id, job.attempt))

    def lost(self, job: ClaimedJob) -> bool:
        with self._lock:
            return (job.id, job.attempt) in self._lost

    def _renew_all(self) -> None:
        while held := self._held_after(self.lease_seconds / 3):
            try:
                with db.forgettable() as tx:
                    kept = attempt_store.renew(tx, held, self.worker, self.lease_seconds)
            except psycopg.Error as error:  # the fence decides, once the database is back
                logger.warning("leases not renewed", error=type(error).__name__, jobs=len(held))
                continue
            with self._lock:
                self._lost.update(self._held.intersection(held) - kept)
        memory.give_back()

    def _held_after(self, seconds: float) -> list[tuple[UUID, int]]:
        """None end the thread: the next job starts another."""
        time.sleep(seconds)
        with self._lock:
            if not self._held:
                self._thread = None
            return list(self._held)
