"""The workers: who takes jobs of which queues, draining one, forgetting one that is gone."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from app.core.db import Reader, Tx
from app.core.errors import Conflict, NotFound, required
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.worker_store import Worker

SILENT_SECONDS = 15.0
GONE_SECONDS = 300.0

Status = Literal["running", "idle", "draining", "drained", "silent", "gone"]


class WorkerNotFound(NotFound):
    """No worker has this id."""

    code = "worker_not_found"


class WorkerNotGone(Conflict):
    """This worker was active in the last five minutes. Stop its process before you remove it."""

    code = "worker_not_gone"


def status_of(worker: Worker) -> Status:
    if worker.silent_seconds >= GONE_SECONDS:
        return "gone"
    if worker.silent_seconds >= SILENT_SECONDS:
        return "silent"
    if worker.drain_at is not None:
        return "drained" if worker.stopped_at is not None and not worker.busy else "draining"
    return "running" if worker.busy else "idle"


@dataclass(slots=True)
class Crew:
    """The workers that take jobs of one queue, how many they hold at once, and how many now."""

    workers: int = 0
    places: int = 0
    busy: int = 0


def crews(reader: Reader) -> defaultdict[str, Crew]:
    """By queue; only workers that were heard of lately and are not draining."""
    found: defaultdict[str, Crew] = defaultdict(Crew)
    for worker in worker_store.every(reader):
        if status_of(worker) in ("running", "idle"):
            for queue in worker.queues:
                found[queue].workers += 1
                found[queue].places += worker.places
                found[queue].busy += worker.busy
    return found


def find(reader: Reader, id: str) -> Worker:
    """Raises WorkerNotFound."""
    return required(worker_store.by_id(reader, id), WorkerNotFound)


def drain(tx: Tx, id: str) -> None:
    """Tell a worker to end what it has and take nothing new. Raises WorkerNotFound."""
    worker = find(tx, id)
    if worker_store.drain(tx, id):
        record_event(tx, "worker.drained", f"{worker.name} ({id})")


def forget(tx: Tx, id: str) -> None:
    """Take a worker that is gone off the list. Raises WorkerNotFound, WorkerNotGone."""
    worker = find(tx, id)
    if not worker_store.forget(tx, id, GONE_SECONDS):
        raise WorkerNotGone
    record_event(tx, "worker.forgotten", f"{worker.name} ({id})")
